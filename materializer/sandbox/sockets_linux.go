package sandbox

func filterSockets(sockets) error { return nil }

package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
)

// order is what Wrap writes and Main carries out: no decision is left in it.
type order struct {
	Program string   `json:"program"` // absolute path
	Argv    []string `json:"argv"`
	Env     []string `json:"env"`
	Dir     string   `json:"dir"`
	Grants  []Grant  `json:"grants"`
	// Sockets is what the socket filter and Landlock allow.
	Sockets sockets `json:"sockets"`
	Ports   []int   `json:"ports,omitempty"`
	// Runner is the pid of wf, with which the program dies.
	Runner int `json:"runner"`
	// Private asks for a root folder of its own, with Links in it.
	Private bool   `json:"private,omitempty"`
	Links   []Link `json:"links,omitempty"`
	// Loopback asks to bring the loopback interface of an own network
	// namespace up.
	Loopback bool `json:"loopback,omitempty"`
	// Filter asks for the socket filter too: Probe found that it works.
	Filter bool `json:"filter,omitempty"`
	// ABI is the version of Landlock that Probe found: with less, nothing runs.
	ABI int `json:"abi"`
}

// sockets is which sockets may be made, and what they may do.
type sockets string

const (
	anySocket  sockets = "any"  // no limit, or an own network namespace limits
	tcpToPorts sockets = "tcp"  // TCP, and only to order.Ports
	noInternet sockets = "none" // none but local ones
)

func (s Spec) order(f Facts) (order, error) {
	grants, err := s.grants()
	if err != nil {
		return order{}, err
	}
	o := order{Program: s.path, Argv: s.Argv, Env: s.Env, Dir: s.WorkDir, Grants: grants, ABI: f.LandlockABI, Filter: f.SocketFilter, Sockets: anySocket}
	if f.MountNamespace {
		o.Private, o.Links = true, s.aliases()
	}
	switch {
	case s.Network.Reach == None && f.NetworkNamespace:
		o.Loopback = true
	case s.Network.Reach == None:
		o.Sockets = noInternet
	case s.Network.Reach == Model:
		o.Sockets, o.Ports = tcpToPorts, s.Network.Ports
	}
	return o, nil
}

// maxOrder bounds what Main reads, in bytes.
const maxOrder = 16 << 20

func readOrder(r io.Reader) (order, error) {
	var o order
	b, err := io.ReadAll(io.LimitReader(r, maxOrder+1))
	if err != nil {
		return o, fmt.Errorf("read the order: %w", err)
	}
	if len(b) > maxOrder {
		return o, fmt.Errorf("the order is longer than %d bytes", maxOrder)
	}
	if err := json.Unmarshal(b, &o); err != nil {
		return o, fmt.Errorf("read the order: %w", err)
	}
	if o.Program == "" || len(o.Argv) == 0 || len(o.Grants) == 0 {
		return o, fmt.Errorf("the order is not complete")
	}
	return o, nil
}

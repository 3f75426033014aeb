// Package process defines a process: a program that wf started, in a session
// of its own, together with everything that program started in turn. Run
// starts one and waits; Start gives a Handle that can be stopped; Reap ends
// what an earlier, killed wf left behind.
//
// It is the only user of os/exec in production code. A process is known by its
// Identity (pid, start time, boot id), never by its name: names repeat, pids
// are used again.
//
// What belongs to a process is found in four ways, since none is enough alone:
// by parent, by process group, by session, and by the marker that its
// environment carries (Spec.Marker). A program that leaves its group, its
// session and its parent still carries the marker. After BecomeSubreaper even
// one that wiped its environment is found, because it becomes our child.
package process

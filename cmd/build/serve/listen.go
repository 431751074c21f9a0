package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"
)

// tries is how many ports after the first are tried where it is taken.
const tries = 100

// A ListenError says why nothing could be served, and what to do about it.
type ListenError struct {
	Address string
	Err     error
	hint    string
}

func (e *ListenError) Error() string {
	return fmt.Sprintf("serve: can't listen on %s: %v", e.Address, e.Err)
}
func (e *ListenError) Unwrap() error { return e.Err }

// Hint is a way out.
func (e *ListenError) Hint() string { return e.hint }

// Listen takes a port of a host, or the next free one of the hundred after it; port 0 takes any.
func Listen(host string, port int) (net.Listener, error) {
	for next := port; ; next++ {
		address := net.JoinHostPort(host, strconv.Itoa(next))
		listener, err := net.Listen("tcp", address)
		if err == nil {
			return listener, nil
		}
		if taken := errors.Is(err, syscall.EADDRINUSE) && port != 0; taken && next < min(port+tries, 65535) {
			continue
		}
		return nil, &ListenError{address, err, wayOut(err, host, port)}
	}
}

func wayOut(err error, host string, port int) string {
	var name *net.DNSError
	switch {
	case errors.As(err, &name):
		return fmt.Sprintf("this machine knows no address of %q: listen on one with --host 127.0.0.1", host)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Sprintf("%s is no address of this machine: listen on one that is, such as --host 127.0.0.1", host)
	case errors.Is(err, syscall.EACCES):
		return fmt.Sprintf("port %d is for privileged programs: choose another with --port, such as 8080", port)
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Sprintf("ports %d to %d are all taken: choose another with --port", port, min(port+tries, 65535))
	}
	return "choose another port with --port, or another address with --host"
}

// Address is where a browser on this machine finds what listens at host: by the name localhost where that is the address
// which is listened on, else by the host as it was given.
func Address(host string, listener net.Listener) string {
	port := listener.Addr().(*net.TCPAddr).Port
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() && namesAddress("localhost", ip) {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(port))
}

// namesAddress reports whether a name resolves to an address on this machine. A bare one has no /etc/hosts.
func namesAddress(name string, ip netip.Addr) bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", name)
	if err != nil {
		return false
	}
	for _, f := range found {
		if f.Unmap() == ip.Unmap() {
			return true
		}
	}
	return false
}

package serve

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func listen(t *testing.T, host string, port int) net.Listener {
	t.Helper()
	listener, err := Listen(host, port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener
}

func TestTakenPortGivesTheNext(t *testing.T) {
	first := listen(t, "127.0.0.1", 0).Addr().(*net.TCPAddr).Port
	if next := listen(t, "127.0.0.1", first).Addr().(*net.TCPAddr).Port; next <= first || next > first+tries {
		t.Errorf("port %d; want one of the %d after %d", next, tries, first)
	}
}

// What is printed leads to what listens, also where localhost is no name (a machine without /etc/hosts).
func TestAddressIsAnswered(t *testing.T) {
	listener := listen(t, "127.0.0.1", 0)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") })}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Close() })
	address := Address("127.0.0.1", listener)
	answer, err := (&http.Client{Transport: &http.Transport{}}).Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, _ := io.ReadAll(answer.Body); string(body) != "here" {
		t.Errorf("%s gave %q", address, body)
	}
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	want := "http://127.0.0.1:" + port
	if namesAddress("localhost", netip.MustParseAddr("127.0.0.1")) {
		want = "http://localhost:" + port
	}
	if address != want {
		t.Errorf("address %s; want %s", address, want)
	}
	if given := Address("0.0.0.0", listener); given != "http://0.0.0.0:"+port {
		t.Errorf("address %s; want the host as it was given", given)
	}
}

// The reason is the system's own, and the way out fits it. No name below .invalid has an address (RFC 6761, 6.4);
// 192.0.2.1 is kept for documents (RFC 5737), so no machine has it.
func TestTrueReasons(t *testing.T) {
	taken := listen(t, "127.0.0.1", 0).Addr().(*net.TCPAddr).Port
	for _, c := range []struct {
		name, host string
		port       int
		err        error // that it stems from
		says, hint string
	}{
		{"unknown name", "nowhere.invalid", taken, new(net.DNSError), "nowhere.invalid", "--host 127.0.0.1"},
		{"address of another machine", "192.0.2.1", taken, syscall.EADDRNOTAVAIL, "192.0.2.1", "is no address of this machine"},
		{"no port", "127.0.0.1", 70000, nil, "invalid port", "--port"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Listen(c.host, c.port)
			var failed *ListenError
			if !errors.As(err, &failed) {
				t.Fatalf("error %v", err)
			}
			var dns *net.DNSError
			if _, want := c.err.(*net.DNSError); want != errors.As(err, &dns) {
				t.Errorf("error %v", err)
			}
			if number, ok := c.err.(syscall.Errno); ok && !errors.Is(err, number) {
				t.Errorf("error %v; want %v", err, number)
			}
			if !strings.Contains(err.Error(), c.says) || !strings.Contains(failed.Hint(), c.hint) {
				t.Errorf("error %q, hint %q; want %q, %q", err, failed.Hint(), c.says, c.hint)
			}
		})
	}
}

func TestWayOut(t *testing.T) {
	for err, want := range map[error]string{
		syscall.EACCES:     "port 80 is for privileged programs",
		syscall.EADDRINUSE: "ports 80 to 180 are all taken",
		io.ErrClosedPipe:   "--port",
	} {
		if got := wayOut(&net.OpError{Op: "listen", Err: err}, "127.0.0.1", 80); !strings.Contains(got, want) {
			t.Errorf("%v: %q; want %q", err, got, want)
		}
	}
}

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"retrace/cmd/build/serve"
	"retrace/cmd/build/site"
)

func serveCommand() *cobra.Command {
	var dir, host, base string
	var port int
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a built site on this machine",
		Long: "Serve a built site with the headers and compressed variants that a host should send.\n" +
			"If the port is taken, the next free one is used; port 0 takes any. The address is printed once the site can be opened:\n" +
			"by the name localhost where this machine knows it. With --host 0.0.0.0 other machines can open the site too.",
		Example: "  build serve\n  build serve --dir dist --port 9000\n  build serve --host 0.0.0.0",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := site.CheckBase(base); err != nil {
				return err
			}
			if _, err := os.Stat(dir); err != nil {
				return fmt.Errorf("serve: %w: build the site first (build site)", err)
			}
			listener, err := serve.Listen(host, port)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), serve.Address(host, listener)+base)
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return run(ctx, listener, serve.Handler(os.DirFS(dir), base))
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "dist", "folder of the built site")
	cmd.Flags().StringVar(&host, "host", "127.0.0.1", "address or name to listen on")
	cmd.Flags().IntVar(&port, "port", 8080, "port, or the first to try")
	cmd.Flags().StringVar(&base, "base", "/", "path that the site was built for")
	return cmd
}

// run serves until the context ends, then lets open answers finish for a moment.
func run(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = server.Shutdown(ctx) // what is still open after two seconds is cut
		return nil
	}
}

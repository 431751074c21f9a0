//go:build !amd64

package lanes

import "retrace/core/encoder"

func vector() []encoder.Kernel { return nil }

// Package kit embeds the bundled studies: protocol, data, seals and frozen results.
package kit

import "embed"

// FS holds one folder a study, and folders of collections that studies share.
//
//go:embed concepts first-baseline r01 r02
var FS embed.FS

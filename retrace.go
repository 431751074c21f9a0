// Package retrace holds what the whole project shares: its version and the frame of its pages.
package retrace

import _ "embed"

// Version is the version of the project. CHANGELOG.md says what each brought.
const Version = "0.9.0"

// Frame is the frame of every page, a template of html/template that cmd/build/page fills.
//
//go:embed index.html
var Frame string

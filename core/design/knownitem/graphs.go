package knownitem

import (
	"fmt"

	"retrace/core/explain"
	"retrace/core/graph"
	"retrace/core/numpath"
	"retrace/core/show"
	"retrace/core/study"
)

// RewiredResult is one rewired graph and how it was made.
type RewiredResult struct {
	Name     string `json:"name"`
	Stream   uint64 `json:"stream"`
	Attempts int    `json:"attempts"`
	Swaps    int    `json:"swaps"`
	graph.Diagnostics
}

// DirectedResult describes the graph of stored, directed links.
type DirectedResult struct {
	Nodes      int `json:"nodes"`
	Links      int `json:"links"`      // distinct
	NoOutgoing int `json:"noOutgoing"` // nodes without outgoing links
	NoIncoming int `json:"noIncoming"`
}

// describeGraphs adds the diagnostics of the undirected projection, of each rewired graph, and of the directed links.
func (k *Loaded) describeGraphs(out *Results) error {
	for _, spec := range k.study.Protocol.Graphs {
		g, err := k.study.Graph(spec.Name)
		if err != nil {
			return err
		}
		switch spec.From {
		case "undirected":
			out.Graph = graph.Diagnose(g)
		case "rewired":
			r, err := k.study.Rewiring(spec.Name)
			if err != nil {
				return err
			}
			out.Rewired = append(out.Rewired, RewiredResult{spec.Name, spec.Stream, r.Attempts, r.Swaps, graph.Diagnose(g)})
		case "directed":
			out.Directed = describeDirected(g)
		}
	}
	return nil
}

func describeDirected(g *graph.Graph) *DirectedResult {
	d := &DirectedResult{Nodes: g.N()}
	in := graph.Transpose(g)
	for v := range g.N() {
		d.Links += g.Degree(v)
		if g.Degree(v) == 0 {
			d.NoOutgoing++
		}
		if in.Degree(v) == 0 {
			d.NoIncoming++
		}
	}
	return d
}

// A graphFact is one number of a graph's description.
type graphFact[T any] struct {
	key, sentence string
	value         func(T) int
}

var diagnosed = []graphFact[graph.Diagnostics]{
	{"nodes", "How many documents the collection has.", func(d graph.Diagnostics) int { return d.Nodes }},
	{"pairs", "How many distinct unordered pairs of linked documents there are.", func(d graph.Diagnostics) int { return d.Pairs }},
	{"isolated", "How many documents have no neighbour.", func(d graph.Diagnostics) int { return d.Isolated }},
	{"components", "How many connected components there are, isolated documents included.", func(d graph.Diagnostics) int { return d.Components }},
	{"largest", "How many documents the largest component has.", func(d graph.Diagnostics) int { return d.Largest }},
}

var rewired = []graphFact[RewiredResult]{
	{"attempts", "How many attempts at a double edge swap there were, rejected ones included.", func(r RewiredResult) int { return r.Attempts }},
	{"swaps", "How many swaps succeeded, so many for each pair as the protocol says.", func(r RewiredResult) int { return r.Swaps }},
	{"stream", "The number of the random stream, under the study's seed.", func(r RewiredResult) int { return int(r.Stream) }},
}

var directed = []graphFact[*DirectedResult]{
	{"nodes", "How many documents the collection has.", func(d *DirectedResult) int { return d.Nodes }},
	{"links", "How many distinct links are stored.", func(d *DirectedResult) int { return d.Links }},
	{"noOutgoing", "From how many documents no link leads.", func(d *DirectedResult) int { return d.NoOutgoing }},
	{"noIncoming", "To how many documents no link leads.", func(d *DirectedResult) int { return d.NoIncoming }},
}

// graphRows explain the descriptions of graphs.
func (k *Loaded) graphRows() []study.Row {
	var rows []study.Row
	for _, f := range diagnosed {
		rows = append(rows, study.Row{Shape: "graph." + f.key, Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			out, err := k.described()
			if err != nil {
				return nil, err
			}
			return k.graphNode(x, k.graphName("undirected"), f.value(out.Graph), f.sentence, graph.Diagnose), nil
		}})
		rows = append(rows, k.rewiredRow(f.key, show.Integer, f.sentence, func(r RewiredResult) int { return f.value(r.Diagnostics) }, graph.Diagnose))
	}
	for _, f := range rewired {
		style := show.Integer
		if f.key == "stream" {
			style = show.Plain
		}
		rows = append(rows, k.rewiredRow(f.key, style, f.sentence, f.value, graph.Rewire))
	}
	for _, f := range directed {
		rows = append(rows, study.Row{Shape: "directed." + f.key, Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			out, err := k.described()
			if err != nil || out.Directed == nil {
				return nil, err
			}
			return k.graphNode(x, k.graphName("directed"), f.value(out.Directed), f.sentence, describeDirected), nil
		}})
	}
	return append(rows, k.degreeRows()...)
}

func (k *Loaded) described() (*Results, error) {
	out := &Results{}
	return out, k.describeGraphs(out)
}

// graphName returns the name of the last graph of a kind, which is the one that results describe.
func (k *Loaded) graphName(from string) (name string) {
	for _, spec := range k.study.Protocol.Graphs {
		if spec.From == from {
			name = spec.Name
		}
	}
	return name
}

func (k *Loaded) linksInput() explain.Input {
	return explain.Input{Label: "stored links", Text: show.Count(int64(len(k.study.Links))), Where: k.study.Protocol.Collection.Links}
}

func (k *Loaded) graphNode(x *study.Explainer, name string, value int, sentence string, source any) *explain.Node {
	node := x.Number(x.Key(len(x.Keys)-1)+", graph “"+name+"”", float64(value), sentence, "a count", source)
	node.Inputs = []explain.Input{k.linksInput()}
	return node
}

func (k *Loaded) rewiredRow(key string, style show.Style, sentence string, value func(RewiredResult) int, source any) study.Row {
	return study.Row{Shape: "rewired.*." + key, Style: style, Explain: func(x *study.Explainer) (*explain.Node, error) {
		out, err := k.described()
		if err != nil {
			return nil, err
		}
		i, ok := x.Index(1, len(out.Rewired))
		if !ok {
			return nil, nil
		}
		node := k.graphNode(x, out.Rewired[i].Name, value(out.Rewired[i]), sentence, source)
		node.Citation = "double edge swaps: Maslov and Sneppen 2002, doi:10.1126/science.1065103"
		node.Inputs = append(node.Inputs, explain.Input{Label: "pairs of the real graph", Text: show.Count(int64(out.Graph.Pairs)), Path: numpath.Of("graph", "pairs")})
		return node, nil
	}}
}

// degreeRows explain the distributions of degrees.
func (k *Loaded) degreeRows() []study.Row {
	var rows []study.Row
	for _, key := range []string{"degree", "nodes"} {
		value := func(d graph.DegreeCount) int { return d.Degree }
		if key == "nodes" {
			value = func(d graph.DegreeCount) int { return d.Nodes }
		}
		rows = append(rows, study.Row{Shape: "graph.degrees.*." + key, Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			return k.degreeNode(x, 2, func(out *Results) (string, []graph.DegreeCount) { return k.graphName("undirected"), out.Graph.Degrees }, value)
		}}, study.Row{Shape: "rewired.*.degrees.*." + key, Style: show.Integer, Explain: func(x *study.Explainer) (*explain.Node, error) {
			return k.degreeNode(x, 3, func(out *Results) (string, []graph.DegreeCount) {
				i, ok := x.Index(1, len(out.Rewired))
				if !ok {
					return "", nil
				}
				return out.Rewired[i].Name, out.Rewired[i].Degrees
			}, value)
		}})
	}
	return rows
}

// degreeNode explains an entry of a distribution, whose place stands at a key of the path, by the documents that it counts.
func (k *Loaded) degreeNode(x *study.Explainer, at int, of func(*Results) (string, []graph.DegreeCount), value func(graph.DegreeCount) int) (*explain.Node, error) {
	out, err := k.described()
	if err != nil {
		return nil, err
	}
	name, degrees := of(out)
	i, ok := x.Index(at, len(degrees))
	if !ok {
		return nil, nil
	}
	d := degrees[i]
	node := k.graphNode(x, name, value(d), fmt.Sprintf("%s documents have %d neighbours.", show.Count(int64(d.Nodes)), d.Degree), graph.Diagnose)
	g, err := k.study.Graph(name)
	if err != nil {
		return nil, err
	}
	for v := range g.N() {
		if g.Degree(v) == d.Degree {
			node.Inputs = append(node.Inputs, explain.Input{Label: x.DocLabel(v), Path: numpath.Of("neighbours", name, k.study.Collection.Docs[v].ID)})
		}
	}
	return node, nil
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"retrace/cmd/native/encode"
	"retrace/core/design"
	"retrace/core/kit"
	"retrace/core/proto"
	"retrace/core/study"
)

// request sends one request through proto.Handle, as every host does, and decodes its result.
func request[Q, R any](s *proto.Session, kind string, q Q) (result R, err error) {
	body, err := json.Marshal(q)
	if err != nil {
		return result, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return result, err
	}
	fields["kind"], _ = json.Marshal(kind)
	fields["id"] = json.RawMessage("1")
	if body, err = json.Marshal(fields); err != nil {
		return result, err
	}
	var reply struct {
		Result json.RawMessage
		Error  *proto.Error
	}
	if err := json.Unmarshal(proto.Handle(s, body), &reply); err != nil {
		return result, err
	}
	if reply.Error != nil {
		return result, replyError{*reply.Error}
	}
	return result, json.Unmarshal(reply.Result, &result)
}

// replyError is an error that the engine replied with.
type replyError struct{ about proto.Error }

func (e replyError) Error() string { return e.about.Message }
func (e replyError) Hint() string  { return e.about.Hint }

func studiesCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:     "studies",
		Short:   "List the studies of the kit",
		Example: "  native studies\n  native studies --kit ./kits",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			fsys, _, err := open(dir, "")
			if err != nil {
				return err
			}
			if _, err := studiesOf(fsys, dir); err != nil {
				return err
			}
			list, err := request[proto.StudiesRequest, proto.StudiesResult](proto.NewSessionFS(design.All, fsys), "studies", proto.StudiesRequest{})
			if err != nil {
				return err
			}
			t := table{title: "Studies", head: []string{"study", "version", "question"}, left: 3}
			for _, s := range list.Studies {
				t.rows = append(t.rows, []string{s.ID, s.Version, s.Title})
			}
			t.print(c.OutOrStdout())
			return nil
		},
	}
	kitFlag(c, &dir)
	return c
}

func searchCommand() *cobra.Command {
	var dir string
	var asJSON bool
	x := indexSearch{}
	q := proto.SearchRequest{}
	var model *encode.Options
	c := &cobra.Command{
		Use:   "search QUESTION",
		Short: "Ask a study's collection a question of your own",
		Long: `Ranks the collection of a study for a question. --method takes a method that the study names, or a term such as
graph(bm25,teleport=0.5,blend=0.3). --explain shows what each score is the sum of.

Methods over embeddings (dense, dense+graph, hybrid, or a term with dense in it) encode the question with the model that
make model fetches, or that --model and --runtime name. hybrid is rrf(bm25,top(dense,n=100),k=60) where the study has no
method of that name.

With --index, the documents are those of an index that build index made, of any size: their IDs and scores under BM25 are
printed, the same as scoring every document would give.`,
		Example: `  native search "why do bees dance"
  native search "why do bees dance" --method dense
  native search "why do bees dance" --method hybrid --explain
  native search "a test that no sample can fool" --method graph --explain
  native search "heat that never becomes work" --method "rrf(bm25(k1=0.9,b=0.4),tfidf)" -k 5`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if x.path != "" {
				return x.run(c, strings.Join(args, " "), q.K, asJSON)
			}
			fsys, id, err := open(dir, q.Study)
			if err != nil {
				return err
			}
			if dir != "" && !c.Flags().Changed("study") {
				if id, err = defaultStudy(fsys, dir, id); err != nil {
					return err
				}
			}
			q.Study, q.Query = id, strings.Join(args, " ")
			session := proto.NewSessionFS(design.All, fsys)
			s, err := session.Study(id)
			if err != nil {
				return err
			}
			q.Method = methodOf(s, q.Method)
			var by *encoded
			if q.Method != "" && needsVector(s, q.Method) {
				if by, err = encodeQuestion(c.Context(), s, *model, q.Query); err != nil {
					return err
				}
				q.Vector = by.Vector
			}
			result, err := request[proto.SearchRequest, proto.SearchResult](session, "search", q)
			if err != nil {
				return err
			}
			if asJSON {
				e := json.NewEncoder(c.OutOrStdout())
				e.SetEscapeHTML(false)
				return e.Encode(searchReply{result, by.about()})
			}
			printSearch(c.OutOrStdout(), result, by)
			return nil
		},
	}
	kitFlag(c, &dir)
	c.Flags().StringVar(&q.Study, "study", "r01", "`STUDY` whose collection and methods are used; of a kit without r01, its only study")
	c.Flags().StringVarP(&q.Method, "method", "m", "", "method's `NAME` or term (default: the study's first)")
	c.Flags().IntVarP(&q.K, "k", "k", 10, "how many documents")
	c.Flags().BoolVar(&q.Explain, "explain", false, "show the parts of each score")
	model = encode.Flags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print the reply as JSON")
	x.flags(c)
	return c
}

// printSearch prints a ranking; matched terms stand between ‹ and ›.
func printSearch(w io.Writer, r proto.SearchResult, by *encoded) {
	fmt.Fprintf(w, "%s\n%s documents have a rank\n", visible(r.Term), fmt.Sprint(r.Ranking.Candidates))
	if by != nil {
		fmt.Fprintf(w, "question encoded by %s\n", by.By)
		if by.Cut {
			fmt.Fprintf(w, "only its first %d word pieces were encoded\n", encode.MaxWordPieces)
		}
	}
	if len(r.Unknown) > 0 {
		fmt.Fprintf(w, "in no document: %s\n", visible(strings.Join(r.Unknown, ", ")))
	}
	if len(r.Ranking.Hits) == 0 {
		fmt.Fprintln(w, "no document shares a term with the question: use other words, or a dense method")
	}
	for _, h := range r.Ranking.Hits {
		fmt.Fprintf(w, "\n%3d  %s  %s  (%s)\n     %s\n", h.Rank, h.Text, marked(h.Document.Title), visible(h.Document.ID),
			marked(h.Document.Text))
		for _, c := range h.Contributions {
			fmt.Fprintf(w, "       %s  %s\n", c.Text, visible(c.Label))
		}
	}
}

func marked(pieces []proto.Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.Term != "" {
			b.WriteString("‹" + visible(p.Text) + "›")
		} else {
			b.WriteString(visible(p.Text))
		}
	}
	return b.String()
}

func explainCommand() *cobra.Command {
	var dir string
	var depth int
	var asJSON bool
	c := &cobra.Command{
		Use:   "explain STUDY PATH",
		Short: "Say how a number came about, down to its inputs and the line that computed it",
		Long: `Prints the explanation of the number at a path of the results JSON: what it is, its formula, its inputs with their own
paths, and the function, file and line that computed it. Any path that is printed can be asked for in turn.

--depth prints the inputs' explanations below them: of each node the first 12 inputs, each number once ("above" where it
comes again), and no more than 100 numbers; what is left out is counted at the end. With --json, the node alone.`,
		Example: `  native explain r01 contrasts.primary.difference
  native explain r01 methods.graph.mrr10 --depth 3
  native explain r01 rank.F001-boundary.graph`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			fsys, id, err := open(dir, args[0])
			if err != nil {
				return err
			}
			if depth < 1 {
				return fmt.Errorf("--depth %d: at least 1, the number itself with its inputs", depth)
			}
			p := nodePrinter{c.OutOrStdout(), proto.NewSessionFS(design.All, fsys), id, map[string]bool{}, map[string]bool{}}
			node, err := p.ask(args[1])
			if err != nil {
				return err
			}
			if asJSON {
				e := json.NewEncoder(p.w)
				e.SetEscapeHTML(false)
				return e.Encode(node)
			}
			return p.printAll(node, depth)
		},
	}
	kitFlag(c, &dir)
	c.Flags().IntVar(&depth, "depth", 1, fmt.Sprintf("how many levels to print; each number once, at most %d in all", maxNodes))
	c.Flags().BoolVar(&asJSON, "json", false, "print the node as JSON")
	return c
}

// maxFollowed is how many inputs of one node --depth follows, maxNodes how many nodes it prints in all.
const (
	maxFollowed = 12
	maxNodes    = 100
)

// nodePrinter prints a node with its inputs' nodes, each once.
type nodePrinter struct {
	w       io.Writer
	session *proto.Session
	study   string
	printed map[string]bool // by path
	left    map[string]bool // paths that were to be followed and are not
}

func (p *nodePrinter) ask(path string) (proto.ExplainResult, error) {
	return request[proto.ExplainRequest, proto.ExplainResult](p.session, "explain", proto.ExplainRequest{Study: p.study, Path: path})
}

func (p *nodePrinter) printAll(node proto.ExplainResult, depth int) error {
	if err := p.print(node, "", depth); err != nil {
		return err
	}
	more := 0
	for path := range p.left {
		if !p.printed[path] {
			more++
		}
	}
	if more > 0 {
		fmt.Fprintf(p.w, "\n%d more inputs are not followed: ask for their paths\n", more)
	}
	return nil
}

func (p *nodePrinter) print(node proto.ExplainResult, indent string, depth int) error {
	w := p.w
	p.printed[node.Path] = true
	value := node.Text
	if node.Value != nil && kitNumber(*node.Value) != node.Text {
		value += "  (" + kitNumber(*node.Value) + ")"
	}
	fmt.Fprintf(w, "%s%s: %s\n%s  %s\n", indent, visible(node.Title), visible(value), indent, visible(node.Sentence))
	if node.Formula != "" {
		fmt.Fprintf(w, "%s  formula   %s\n", indent, visible(node.Formula))
	}
	fmt.Fprintf(w, "%s  computed  %s  %s:%d\n", indent, node.Source.Function, node.Source.File, node.Source.Line)
	if node.Citation != "" {
		fmt.Fprintf(w, "%s  source    %s\n", indent, node.Citation)
	}
	for i, input := range node.Inputs {
		line := fmt.Sprintf("%s  - %s", indent, visible(input.Label))
		if input.Text != "" {
			line += ": " + visible(input.Text)
		}
		if input.Where != "" {
			line += "  [" + visible(input.Where) + "]"
		}
		if input.Path != "" {
			line += "  → " + visible(input.Path)
		}
		switch {
		case depth == 1 || input.Path == "":
			fmt.Fprintln(w, line)
		case p.printed[input.Path]:
			fmt.Fprintln(w, line+"  (above)")
		case i >= maxFollowed || len(p.printed) >= maxNodes:
			fmt.Fprintln(w, line)
			p.left[input.Path] = true
		default:
			fmt.Fprintln(w, line)
			next, err := p.ask(input.Path)
			if err != nil {
				return err
			}
			p.printed[input.Path] = true // also where the node calls itself otherwise
			if err := p.print(next, indent+"      ", depth-1); err != nil {
				return err
			}
		}
	}
	if node.More > 0 {
		fmt.Fprintf(w, "%s  … and %d more\n", indent, node.More)
	}
	return nil
}

// kitNumber writes a number as canonical JSON does.
func kitNumber(x float64) string {
	data, err := kit.Canonical(x)
	if err != nil {
		return fmt.Sprint(x)
	}
	return string(data)
}

func trecRunCommand() *cobra.Command {
	var dir, name string
	var k int
	c := &cobra.Command{
		Use:   "run STUDY",
		Short: "Print a TREC run of a method on a study's questions",
		Long: `Prints one line a document: question, Q0, document, rank, score, run tag, as trec_eval, ir_measures and ranx read them.
Scores are written so that they read back to the same bits. trec_eval breaks equal scores by document ID descending,
this study by ID ascending: for exactly these ranks, sort by the rank column.`,
		Example: `  native run r01 --method bm25 > bm25.run
  native qrels r01 > r01.qrels && trec_eval -m recip_rank r01.qrels bm25.run`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := load(dir, args[0])
			if err != nil {
				return err
			}
			if name == "" {
				name = s.Protocol.Methods[0].Name
			}
			t, err := s.ResolveSealed(methodOf(s, name))
			if err != nil {
				return err
			}
			w := bufio.NewWriter(c.OutOrStdout())
			for i := range s.Questions {
				list, err := s.Run(study.Unit{Methods: []study.NamedTerm{{Name: name, Term: t}}, Questions: []int{i}, Best: k})
				if err != nil {
					return err
				}
				for rank, p := range list[0].Best {
					fmt.Fprintf(w, "%s Q0 %s %d %s %s\n", list[0].Question, p.ID, rank+1, kitNumber(p.Score), name)
				}
			}
			return w.Flush()
		},
	}
	kitFlag(c, &dir)
	c.Flags().StringVarP(&name, "method", "m", "", "method's `NAME` or term (default: the study's first)")
	c.Flags().IntVarP(&k, "k", "k", 1000, "how many documents of each question")
	return c
}

func qrelsCommand() *cobra.Command {
	var dir, assessor string
	c := &cobra.Command{
		Use:   "qrels STUDY",
		Short: "Print a study's relevance judgements as TREC qrels",
		Long: `Prints one line a judgement: question, 0, document, grade, as trec_eval, ir_measures and ranx read them. What the grades
are depends on the study's design:

  known items (r01)        the target of each question is its one relevant document: 1
  every document judged    0 or 1 for every document and every need, all splits (first-baseline)
  graded pools (r02)       the whole grades of one assessor for every pair of the pool, --assessor; the study itself uses
                           the mean of both assessors, which can be a half and so can't stand in qrels`,
		Example: "  native qrels r01 > r01.qrels\n  native qrels first-baseline > first-baseline.qrels\n  native qrels r02 --assessor b " +
			"> r02-b.qrels",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := load(dir, args[0])
			if err != nil {
				return err
			}
			d, ok := s.Design.(study.Qreler)
			if !ok {
				return fmt.Errorf("%s has no judgements that qrels could hold", s.Protocol.ID)
			}
			list, err := d.Qrels(assessor)
			if err != nil {
				return err
			}
			w := bufio.NewWriter(c.OutOrStdout())
			for _, q := range list {
				fmt.Fprintf(w, "%s 0 %s %d\n", q.Question, q.Document, q.Grade)
			}
			n := len(list)
			if n == 0 {
				return fmt.Errorf("%s has no judgements to print yet", s.Protocol.ID)
			}
			return w.Flush()
		},
	}
	kitFlag(c, &dir)
	c.Flags().StringVar(&assessor, "assessor", "",
		"whose grades of a graded pool: the `NAME` in the protocol (default: the first, a in r02)")
	return c
}

func requestCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "request",
		Short: "Answer requests of the engine's protocol, one JSON object a line",
		Long: `Reads requests from standard input, one a line, and writes one reply a line, byte for byte as the WebAssembly engine does.
The requests are described in core/proto/types.go.`,
		Example: `  echo '{"id":1,"kind":"studies"}' | native request`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			fsys, _, err := open(dir, "")
			if err != nil {
				return err
			}
			s := proto.NewSessionFS(design.All, fsys)
			in := bufio.NewReader(c.InOrStdin())
			w := bufio.NewWriter(c.OutOrStdout())
			for {
				line, err := readLine(in, proto.MaxRequest)
				if err == io.EOF {
					return nil
				}
				if err != nil {
					return err
				}
				w.Write(proto.Handle(s, line))
				w.WriteByte('\n')
				if err := w.Flush(); err != nil {
					return err
				}
			}
		},
	}
	kitFlag(c, &dir)
	return c
}

// readLine reads a line without its end, whatever its length, and keeps no more than one byte beyond limit of it: enough
// to be refused. io.EOF means that there is no further line.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if err == io.EOF && len(line)+len(part) == 0 {
			return nil, io.EOF
		}
		if room := limit + 1 - len(line); room > 0 {
			line = append(line, part[:min(room, len(part))]...)
		}
		switch err {
		case nil, io.EOF:
			return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'}), nil
		case bufio.ErrBufferFull:
		default:
			return nil, err
		}
	}
}

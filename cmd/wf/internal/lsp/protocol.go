package lsp

import "encoding/json"

// The parts of LSP 3.17 that this server speaks. Names are the protocol's.

type position struct {
	Line      int `json:"line"`      // from 0
	Character int `json:"character"` // from 0, in units of the encoding agreed on
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

type textDocumentID struct {
	URI string `json:"uri"`
}

type initializeParams struct {
	Capabilities struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
		Workspace struct {
			DidChangeWatchedFiles struct {
				DynamicRegistration bool `json:"dynamicRegistration"`
			} `json:"didChangeWatchedFiles"`
		} `json:"workspace"`
	} `json:"capabilities"`
}

type didOpenParams struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
}

type didChangeParams struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
	} `json:"textDocument"`
	ContentChanges []contentChange `json:"contentChanges"`
}

type contentChange struct {
	Range *span  `json:"range"` // nil: the text is the whole document
	Text  string `json:"text"`
}

type documentParams struct {
	TextDocument textDocumentID `json:"textDocument"`
}

type positionParams struct {
	TextDocument textDocumentID `json:"textDocument"`
	Position     position       `json:"position"`
}

type watchedParams struct {
	Changes []textDocumentID `json:"changes"`
}

type codeActionParams struct {
	TextDocument textDocumentID `json:"textDocument"`
	Range        span           `json:"range"`
	Context      struct {
		Only []string `json:"only"`
	} `json:"context"`
}

type diagnostic struct {
	Range    span      `json:"range"`
	Severity int       `json:"severity"`
	Code     string    `json:"code"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
	Related  []related `json:"relatedInformation,omitempty"`
}

type related struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type publishParams struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

// Kinds of completion items and of symbols, by the protocol's numbers.
const (
	itemFunction  = 3
	itemField     = 5
	itemVariable  = 6
	itemClass     = 7
	itemProperty  = 10
	itemEnum      = 20
	itemReference = 18
	itemFile      = 17

	symbolModule   = 2
	symbolClass    = 5
	symbolProperty = 7
	symbolField    = 8
	symbolFunction = 12
	symbolVariable = 13
	symbolObject   = 19
	symbolEvent    = 24
)

type completionItem struct {
	Label         string    `json:"label"`
	Kind          int       `json:"kind"`
	Detail        string    `json:"detail,omitempty"`
	Documentation *markup   `json:"documentation,omitempty"`
	SortText      string    `json:"sortText,omitempty"`
	FilterText    string    `json:"filterText,omitempty"`
	TextEdit      *textEdit `json:"textEdit,omitempty"`
}

type completionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []completionItem `json:"items"`
}

type markup struct {
	Kind  string `json:"kind"` // markdown
	Value string `json:"value"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

type hoverResult struct {
	Contents markup `json:"contents"`
	Range    span   `json:"range"`
}

type symbol struct {
	Name           string   `json:"name"`
	Detail         string   `json:"detail,omitempty"`
	Kind           int      `json:"kind"`
	Range          span     `json:"range"`
	SelectionRange span     `json:"selectionRange"`
	Children       []symbol `json:"children,omitempty"`
}

type codeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"`
	Diagnostics []diagnostic  `json:"diagnostics,omitempty"`
	IsPreferred bool          `json:"isPreferred,omitempty"`
	Edit        workspaceEdit `json:"edit"`
}

type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

// capabilities are what this server can do.
const capabilities = `{
  "positionEncoding": %q,
  "textDocumentSync": {"openClose": true, "change": 2, "save": {"includeText": false}},
  "completionProvider": {"triggerCharacters": [".", " ", ":", "{", "[", "<", ","]},
  "hoverProvider": true,
  "definitionProvider": true,
  "documentSymbolProvider": true,
  "documentFormattingProvider": true,
  "codeActionProvider": {"codeActionKinds": ["quickfix"]}
}`

type initializeResult struct {
	Capabilities json.RawMessage `json:"capabilities"`
	ServerInfo   struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"serverInfo"`
}

// watchers is the registration of files that this server wants to hear of.
const watchers = `{"registrations": [{"id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": {"watchers": [
  {"globPattern": "**/*.wf.yaml"}, {"globPattern": "**/wf.yaml"}, {"globPattern": "**/*.replay.yaml"}, {"globPattern": "**/*.md"}]}}]}`

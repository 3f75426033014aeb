package expr

import (
	"fmt"
	"testing"
)

// A workflow of 5,000 tickets has some 15,000 templates; a check must cost
// microseconds and not grow with the scope.
func BenchmarkParseCheck(b *testing.B) {
	for _, n := range []int{10, 5000} {
		scope := Scope{Phase: RunPhase, Taint: Untrusted}
		for i := range n {
			scope.Tickets = append(scope.Tickets, TicketShape{Name: fmt.Sprint("t", i), Outputs: []Field{{"text", Type{Kind: String}}}})
		}
		scope = scope.Indexed()
		b.Run(fmt.Sprintf("tickets=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t, _ := Parse(`Summarise ${{ tickets.t7.outputs.text }} and ${{ len(tickets.t3.outputs.text) + 1 }}`, nil)
				if _, found := t.Check(scope, Type{Kind: String}); len(found) > 0 {
					b.Fatal(found)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	scope := Scope{Phase: RunPhase, Taint: Untrusted, Tickets: []TicketShape{{Name: "t", List: true, Outputs: []Field{{"text", Type{Kind: String}}}}}}
	for b.Loop() {
		if _, err := Compile(`${{ any(tickets.t, .status == "done") }}`, scope, Type{Kind: Bool}); err != nil {
			b.Fatal(err)
		}
	}
}

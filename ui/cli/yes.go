package cli

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
)

// yesFlag lets a verb that destroys something go on without asking.
type yesFlag struct {
	Yes bool `env:"-" help:"Do not ask before."`
}

// confirm asks whether to go on. Its error says that nothing was changed.
func (f yesFlag) confirm(s *streams, question string) error {
	if f.Yes {
		return nil
	}
	fmt.Fprintf(s.err, "%s Type yes to go on: ", question)
	answer, err := bufio.NewReader(s.in).ReadString('\n')
	if strings.TrimSpace(answer) == "yes" {
		return nil
	}
	if err != nil {
		fmt.Fprintln(s.err)
		return errors.New("nothing is changed: answer yes, or say --yes where nobody answers")
	}
	return errors.New("nothing is changed: the answer was not yes")
}

package ui

import (
	"net/http"
	"strconv"
	"strings"

	"biketrip/store"
	"biketrip/store/limit"
)

// askLink takes the wish for a sign-in link by mail. What it answers, and how soon,
// does not depend on who has an account here: that is looked up afterwards.
func (s *Site) askLink(w http.ResponseWriter, r *http.Request) {
	from := s.Address(r)
	if wait := s.MailsFrom.Take(from); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(limit.Seconds(wait)))
		s.message(w, r, http.StatusTooManyRequests,
			text{"Too many requests", "Trop de demandes"},
			text{"Too many links were asked for from here. Try again in a quarter of an hour.", "Trop de liens ont été demandés d’ici. Réessayez dans un quart d’heure."})
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	email := strings.TrimSpace(r.PostFormValue("email"))
	if store.CheckEmail(email) != nil {
		s.message(w, r, http.StatusBadRequest,
			text{"Not an e-mail address", "Pas une adresse e-mail"},
			text{"Go back and type the address of your account.", "Revenez en arrière et saisissez l’adresse de votre compte."})
		return
	}
	s.message(w, r, http.StatusOK,
		text{"Check your mail", "Regardez vos e-mails"},
		text{"If there is an account of that address, a link is on its way to it. Open it within half an hour.",
			"S’il y a un compte à cette adresse, un lien est en route. Ouvrez-le dans la demi-heure."})
	http.NewResponseController(w).Flush() // the answer is out before the work begins
	if s.MailsTo.Take(strings.ToLower(email)) == 0 {
		s.mailer.ask(wish{email: email, from: from})
	}
}

// Package plan is every use case about trips, one a file. It alone changes a
// trip.
package plan

import (
	"biketrip/jobs"
	"biketrip/jobs/plan/fetch"
	"biketrip/store"
	"biketrip/store/limit"
	"biketrip/store/trip"
)

// Actor is who acts. What is somebody else's does not exist for an actor.
type Actor struct {
	UserID   string
	ClientID string   // the application through which the user acts; empty for none
	Scopes   []string // that the user has granted to it
}

// Options are what a planner is made of.
type Options struct {
	Store     *store.Store
	Queue     *jobs.Queue
	Client    *fetch.Client
	Producers []Producer     // what is worked out about a trip once it has days
	Creations *limit.Limiter // of trips, by user; nil for any number
	Searches  *limit.Limiter // of places, by user; nil for any number
}

// A Producer works out one kind of finding about a trip. It is a job of its own
// and writes what it finds and nothing else.
type Producer struct {
	Kind     string // of its job
	Category trip.Category
	Run      jobs.Handler
}

// Planner does the use cases. It is safe for concurrent use.
type Planner struct {
	store      *store.Store
	queue      *jobs.Queue
	client     *fetch.Client
	producers  []Producer
	creations  *limit.Limiter
	searches   *limit.Limiter
	categories map[string]trip.Category // by kind of job
}

// New is a planner.
func New(o Options) *Planner {
	p := &Planner{
		store:      o.Store,
		queue:      o.Queue,
		client:     o.Client,
		producers:  o.Producers,
		creations:  o.Creations,
		searches:   o.Searches,
		categories: map[string]trip.Category{routeKind: trip.CategoryRoute},
	}
	for _, producer := range o.Producers {
		p.categories[producer.Kind] = producer.Category
	}
	return p
}

// Handlers are how each kind of job is done.
func (p *Planner) Handlers() map[string]jobs.Handler {
	handlers := map[string]jobs.Handler{routeKind: p.fetchRoute}
	for _, producer := range p.producers {
		handlers[producer.Kind] = producer.Run
	}
	return handlers
}

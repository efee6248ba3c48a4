package oauth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
)

// Where clients look for the documents.
const (
	wellKnown             = "/.well-known/"
	protectedResourcePath = wellKnown + "oauth-protected-resource" // RFC 9728, section 3.1
	serverPath            = wellKnown + "oauth-authorization-server"
)

// tokenPath is where codes and refresh tokens are exchanged.
const tokenPath = "/oauth/token"

// metadata are the documents by which clients find the server, as they are sent.
type metadata struct {
	protectedResource, server []byte
}

// protectedResource says which server issues the tokens of a resource (RFC 9728,
// section 2).
type protectedResource struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	ScopesSupported      []string `json:"scopes_supported"`
	BearerMethods        []string `json:"bearer_methods_supported"`
}

// authorizationServer says what the server can do (RFC 8414, section 2; the
// client document: draft-ietf-oauth-client-id-metadata-document; iss: RFC 9207,
// section 3).
type authorizationServer struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	ScopesSupported       []string `json:"scopes_supported"`
	ResponseTypes         []string `json:"response_types_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	CodeChallengeMethods  []string `json:"code_challenge_methods_supported"`
	TokenAuthMethods      []string `json:"token_endpoint_auth_methods_supported"`
	RegistrationEndpoint  string   `json:"registration_endpoint,omitempty"`
	ClientDocument        bool     `json:"client_id_metadata_document_supported"`
	ResponseIssuer        bool     `json:"authorization_response_iss_parameter_supported"`
}

func newMetadata(issuer, resourcePath string, scopes []string, registration bool) metadata {
	scopes = append([]string{}, scopes...)
	registrationEndpoint := ""
	if registration {
		registrationEndpoint = issuer + registerPath
	}
	return metadata{
		protectedResource: document(protectedResource{
			Resource:             issuer + resourcePath,
			AuthorizationServers: []string{issuer},
			ScopesSupported:      scopes,
			BearerMethods:        []string{"header"},
		}),
		server: document(authorizationServer{
			Issuer:                issuer,
			AuthorizationEndpoint: issuer + authorizePath,
			TokenEndpoint:         issuer + tokenPath,
			ScopesSupported:       scopes,
			ResponseTypes:         []string{"code"},
			GrantTypes:            []string{"authorization_code", "refresh_token"},
			CodeChallengeMethods:  []string{"S256"},
			TokenAuthMethods:      []string{"none"},
			RegistrationEndpoint:  registrationEndpoint,
			ClientDocument:        true,
			ResponseIssuer:        true,
		}),
	}
}

// document is a value of strings, lists and flags as JSON.
func document[T any](v T) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Errorf("metadata document: %w", err)) // no such value fails
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Routes mounts the token endpoint, that where clients register, if they may, that
// where people are asked, if they can sign in, and everything below /.well-known/:
// the metadata of the protected resource and that of the server, to be read by
// every web page too, and a 404 in JSON for any other document, since clients read
// the body of that as well.
func (s *Server) Routes(r chi.Router) {
	r.HandleFunc(protectedResourcePath, serveDocument(s.metadata.protectedResource))
	r.HandleFunc(protectedResourcePath+strings.TrimPrefix(s.resource, s.issuer), serveDocument(s.metadata.protectedResource))
	r.HandleFunc(serverPath, serveDocument(s.metadata.server))
	r.HandleFunc(tokenPath, s.fromOrigins(s.serveToken))
	if s.registration {
		r.HandleFunc(registerPath, s.fromOrigins(s.serveRegister))
	}
	if s.signedIn != nil {
		r.HandleFunc(authorizePath, s.serveAuthorize)
	}
	r.HandleFunc(wellKnown+"*", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		answerError(w, http.StatusNotFound, "not_found", "There is no such document.")
	})
}

// documentMethods are those that a document answers.
const documentMethods = "GET, HEAD, OPTIONS"

// serveDocument answers with a document, and with the permission to ask for it
// where a browser asks for that first (Fetch, CORS preflight).
func serveDocument(document []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		switch r.Method {
		default:
			h.Set("Allow", documentMethods)
			answerError(w, http.StatusMethodNotAllowed, "invalid_request", "This document is read with GET.")
		case http.MethodOptions:
			h.Set("Allow", documentMethods)
			h.Set("Access-Control-Allow-Methods", http.MethodGet)
			h.Set("Access-Control-Allow-Headers", "MCP-Protocol-Version, Authorization")
			w.WriteHeader(http.StatusNoContent)
		case http.MethodGet, http.MethodHead:
			h.Set("Cache-Control", "public, max-age=3600")
			h.Set("Content-Type", "application/json")
			w.Write(document)
		}
	}
}

// answerError answers with an error of OAuth (RFC 6749, section 5.2).
func answerError(w http.ResponseWriter, status int, code, description string) {
	answer(w, status, document(struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{code, description}))
}

// answer answers with JSON that nobody keeps.
func answer(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(body)
}

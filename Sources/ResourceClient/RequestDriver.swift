package import AuthModel
package import OAuth
internal import Synchronization

/// Carries the steps of an ``AuthorizedRequest`` out, where requests are sent: for the user, for a client of the proxy, for a message of
/// the bridge.
package protocol RequestDriver {
    /// A response, as this driver receives it.
    associatedtype Response

    /// Returns a fresh credential for a URL; `nil` if the request is sent without one.
    ///
    /// - Parameter refused: the token that the resource no longer accepts, to be replaced by a new one.
    func credential(for url: WebURL, refused: Secret?) async throws(AuthFailure) -> SessionCredential?

    /// Sends a request once.
    ///
    /// - Parameter credential: the credential that the request carries; `nil` if it has none.
    func send(_ request: WebRequest, with credential: SessionCredential?) async throws(AuthFailure) -> Response

    /// Returns a response as far as it was read, which is at least its status and header fields.
    func received(_ response: Response) -> WebResponse

    /// Returns what a response says about the token that was sent, if one was.
    func verdict(on answer: WebResponse, to credential: SessionCredential?) -> TokenVerdict

    /// Asks the provider whether its resources can be used without a sign-in.
    func isUsableWithoutSignIn() async -> Bool

    /// Returns the sign-in that a refusal requires; `nil` if it requires none.
    ///
    /// - Parameter previous: the sign-in that an earlier response to this request required.
    func requiredSignIn(in answer: WebResponse, from url: WebURL, after previous: StepUp?) async throws(AuthFailure) -> StepUp?

    /// Runs a required sign-in. Returns false if the session is already as the resource wants it.
    ///
    /// - Parameter token: the token that the resource refused.
    func stepUp(to required: StepUp, refused token: Secret?) async throws(AuthFailure) -> Bool

    /// Signs in.
    ///
    /// - Parameter answer: the last refusal; `nil` if the request was not sent, because there is no token.
    func signIn(because cause: AuthorizedRequest.SignInCause, after answer: WebResponse?) async throws(AuthFailure)
}

extension RequestDriver {
    /// Default: ``OAuth/TokenVerdict/refused`` for status 401, otherwise what the credential's dialect says.
    package func verdict(on answer: WebResponse, to credential: SessionCredential?) -> TokenVerdict {
        answer.status == 401 ? .refused : credential?.verdict(on: answer) ?? .accepted
    }

    /// Default: false.
    package func isUsableWithoutSignIn() async -> Bool { false }

    /// Default: `nil`.
    package func requiredSignIn(in answer: WebResponse, from url: WebURL, after previous: StepUp?) async throws(AuthFailure) -> StepUp? {
        nil
    }

    /// Default: false.
    package func stepUp(to required: StepUp, refused token: Secret?) async throws(AuthFailure) -> Bool { false }

    /// Default: fails with the cause, because there is no user to sign in.
    package func signIn(because cause: AuthorizedRequest.SignInCause, after answer: WebResponse?) async throws(AuthFailure) {
        switch cause {
        case .noToken(let failure, _): throw failure
        case .refused(let reason): throw AuthFailure(.signInAgain, reason)
        }
    }

    /// Sends a request, and recovers from refusals as `exchange` decides. Returns the final response, with any status, the URL that it came
    /// from, and the credential that was sent.
    package func response(
        to exchange: AuthorizedRequest
    ) async throws(AuthFailure) -> (response: Response, url: WebURL, credential: SessionCredential?) {
        var exchange = exchange
        var step = exchange.first
        var credential: SessionCredential?
        var response: Response?
        var answer: WebResponse?
        while true {
            let event: AuthorizedRequest.Event
            switch step {
            case .authorize(let refused):
                // Dropping a response whose body is still arriving ends its transfer. A refusal says what a sign-in must ask for.
                response = nil
                if refused == nil { answer = nil }
                do throws(AuthFailure) {
                    credential = try await self.credential(for: exchange.request.url, refused: refused)
                } catch {
                    step = exchange.next(after: .notIssued(error))
                    continue
                }
                event = .issued(credential?.issued.token)
            case .send, .sendAnonymously:
                (response, answer) = (nil, nil)
                var request = exchange.request
                if step == .sendAnonymously { credential = nil }
                if let credential { request = try await credential.authorized(request) }
                let newest = try await send(request, with: credential)
                let header = received(newest)
                (response, answer) = (newest, header)
                event = .answered(
                    AuthorizedRequest.Answer(
                        status: header.status, location: header.header("Location"), verdict: verdict(on: header, to: credential),
                        hasNewNonce: credential?.hasNewNonce(in: header, to: request) ?? false))
            case .checkAnonymousAccess(let failure): event = .anonymousAccess(await isUsableWithoutSignIn(), failure)
            case .readChallenge(let previous):
                guard let answer else { throw Self.endedWithoutResponse }
                event = .required(try await requiredSignIn(in: answer, from: exchange.request.url, after: previous))
            case .stepUp(let required):
                event = try await stepUp(to: required, refused: credential?.issued.token) ? .signedIn : .stepUpIsUseless
            case .signIn(let cause):
                try await signIn(because: cause, after: answer)
                event = .signedIn
            case .finish:
                guard let response else { throw Self.endedWithoutResponse }
                return (response, exchange.request.url, credential)
            case .fail(let failure): throw failure
            }
            step = exchange.next(after: event)
        }
    }

    private static var endedWithoutResponse: AuthFailure { AuthFailure(.bug, "resource.ended_without_response") }
}

extension StepUp {
    /// Returns the sign-in that a refusal requires of a session; `nil` if it requires none.
    ///
    /// - Parameters:
    ///   - previous: the sign-in that the resource required before. Throws if it requires another one.
    ///   - scopes: returns the scopes in the resource's metadata, for a refusal that requires more scopes without naming them.
    nonisolated(nonsending) package static func required(
        by answer: WebResponse, from url: WebURL, of session: SessionSummary, after previous: StepUp? = nil,
        scopes: (Challenge) async -> [String]
    ) async throws(AuthFailure) -> StepUp? {
        do throws(OAuthError) {
            if let stepUp = try requirements(in: answer, host: url.origin.authority, after: previous) { return stepUp }
        } catch {
            throw error.failure
        }
        guard previous == nil, let challenge = challengeWithoutScopes(in: answer) else { return nil }
        return StepUp(challenge, scopes: ScopeSet(await scopes(challenge).filter { !session.scopes.contains($0) }))
    }
}

/// A token of a session, and how requests carry it: in the provider's dialect, with a proof if the token is bound to a key.
package struct SessionCredential: Sendable {
    package let issued: IssuedToken
    private let dialect: any ResourceDialect
    private let proofs: ProofSource?

    /// Creates a credential.
    ///
    /// - Parameter proofs: where the proofs of a bound token come from; `nil` for a token that is not bound.
    package init(_ issued: IssuedToken, dialect: any ResourceDialect, proofs: ProofSource?) {
        self.issued = issued
        self.dialect = dialect
        self.proofs = proofs
    }

    /// Returns a request with the token, and with a new proof if the token is bound.
    package func authorized(_ request: WebRequest) async throws(AuthFailure) -> WebRequest {
        var authorized = dialect.authorized(request, with: issued)
        if issued.isBound, let proofs { authorized.headers.append(("DPoP", try await proofs.proof(for: request, with: issued))) }
        return authorized
    }

    /// Returns what a response says about the token, in the provider's dialect.
    func verdict(on answer: WebResponse) -> TokenVerdict { dialect.verdict(on: answer) }

    /// Keeps the nonce in a response, for the next proof. Returns whether the same request may succeed now, because the resource refused
    /// the proof and gave a nonce.
    package func hasNewNonce(in answer: WebResponse, to request: WebRequest) -> Bool {
        guard issued.isBound, let proofs else { return false }
        return proofs.hasNewNonce(in: answer, to: request)
    }
}

/// Makes the proofs of bound tokens, with the newest nonce of each resource (RFC 9449). All requests of a program share one.
package final class ProofSource: Sendable {
    private let service: any SessionService
    private let nonces = Mutex(ProofNonces())

    /// Creates a source without nonces.
    package init(_ service: any SessionService) { self.service = service }

    fileprivate func proof(for request: WebRequest, with issued: IssuedToken) async throws(AuthFailure) -> String {
        let nonce = nonces.withLock { $0.nonce(for: request.url, as: .resourceServer) }
        return try await service.proof(
            ProofRequest(
                session: issued.session, accessToken: issued.token, method: request.method.rawValue, url: request.url, nonce: nonce))
    }

    fileprivate func hasNewNonce(in answer: WebResponse, to request: WebRequest) -> Bool {
        nonces.withLock { $0.retryNonce(after: answer, to: request, as: .resourceServer, isRetry: false) != nil }
    }
}

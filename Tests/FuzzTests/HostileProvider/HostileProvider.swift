import AuthEngine
import AuthModel
import OAuth
package import Sandbox
import Synchronization

/// The sandbox's provider behind a proxy that damages its responses, down to the bytes.
///
/// The proxy has the provider's origin and replaces the provider's signing key with its own, so it can sign damaged tokens.
package final class HostileProvider: Sendable {
    private struct State {
        var damages: [ResponseDamage] = []
        var evidence = Evidence()
        /// The sandbox's own tokens, by the tokens that replaced them.
        var originals: [String: String] = [:]
        var server: RawServer?
        var sandbox: SandboxServer?
    }

    private let state = Mutex(State())
    private let upstream = CurlTransport(version: "test", environment: [:])
    let key = ProviderKey()

    /// Starts the sandbox and the proxy.
    package static func start(_ configuration: SandboxConfiguration) async throws -> HostileProvider {
        let provider = HostileProvider()
        let server = try await RawServer.start { [weak provider] request in
            await provider?.answer(to: request) ?? RawAnswer(WebResponse(status: 503))
        }
        var configuration = configuration
        configuration.publicOrigin = "http://127.0.0.1:\(server.port)"
        configuration.idTokenAlgorithm = .es256
        do {
            let sandbox = try await SandboxServer.start(configuration)
            provider.state.withLock { state in
                state.server = server
                state.sandbox = sandbox
            }
            return provider
        } catch {
            await server.stop()
            throw error
        }
    }

    /// Stops the proxy and the sandbox.
    package func stop() async {
        let (server, sandbox) = state.withLock { ($0.server, $0.sandbox) }
        await server?.stop()
        await sandbox?.stop()
    }

    /// The sandbox's issuer; empty before the start.
    package var issuer: String { state.withLock { $0.sandbox?.issuer ?? "" } }

    /// The messages sent since ``begin(_:faults:)``.
    var evidence: Evidence { state.withLock(\.evidence) }

    /// Clears the evidence, and damages responses from now on.
    func begin(_ damages: [ResponseDamage], faults: FaultSet) async {
        let sandbox = state.withLock { state in
            state.damages = damages
            state.evidence = Evidence()
            return state.sandbox
        }
        await sandbox?.set(faults)
    }

    private func answer(to request: RawRequest) async -> RawAnswer {
        state.withLock { $0.evidence.note(request) }
        guard var answer = await honestAnswer(to: request) else { return RawAnswer(WebResponse(status: 502)) }
        let asked = Place(request)
        let place = asked == .userInfo && answer.isJWT ? .signedUserInfo : asked
        sign(&answer, at: place)
        return state.withLock { state in
            let damages = state.damages.filter { $0.place == place }
            // A response that never reaches the client adds no secret.
            if !damages.contains(where: { $0.kind == .error }) { state.evidence.note(honest: answer) }
            for damage in damages {
                damage.apply(to: &answer, request: request, key: key, secrets: state.evidence.secrets)
            }
            state.evidence.note(delivered: answer, at: place)
            return answer
        }
    }

    /// Returns the provider's response; a connection that the provider closed is closed here as well.
    private func honestAnswer(to request: RawRequest) async -> RawAnswer? {
        // The sandbox knows only the tokens that it signed itself.
        let hint = request.query.first { $0.name == "id_token_hint" }?.value
        let (known, original) = state.withLock { state in (state.sandbox, hint.flatMap { state.originals[$0] }) }
        let target = hint.map { request.target.replacing($0, with: original ?? $0) } ?? request.target
        guard let sandbox = known, let method = WebRequest.Method(rawValue: request.method),
            let url = WebURL("http://127.0.0.1:\(sandbox.port)\(target)")
        else { return nil }
        let own: Set = ["host", "content-length", "connection", "accept-encoding", "expect"]
        let forwarded = WebRequest(
            method: method, url: url, headers: request.headers.filter { !own.contains($0.name.lowercased()) }, body: request.body)
        var policy = TransportPolicy.standard
        // A fault of the provider may exceed the body limit of our own client.
        policy.bodyLimit = 64 << 20
        policy.deadline = WatchedTransport.unhurried
        do throws(AuthFailure) {
            return RawAnswer(try await upstream.send(forwarded, policy: policy))
        } catch {
            var cut = RawAnswer(WebResponse(status: 502))
            cut.bytes = []
            return cut
        }
    }

    /// Replaces the sandbox's key and signatures with this provider's.
    private func sign(_ answer: inout RawAnswer, at place: Place) {
        switch place {
        case .keys where answer.json?["keys"]?.array?.isEmpty == false: answer.json = key.document
        case .token, .signedUserInfo:
            guard let token = answer.signedToken, let claims = ProviderKey.claims(of: token) else { return }
            let ours = key.sign(header: ProviderKey.header.text, claims: claims.text)
            state.withLock { $0.originals[ours] = token }
            answer.signedToken = ours
        default: break
        }
    }
}

extension JSONValue {
    /// Returns the object with this member; an existing member keeps its position.
    func setting(_ name: String, _ value: JSONValue) -> JSONValue {
        guard var members else { return self }
        if let index = members.firstIndex(where: { $0.name == name }) {
            members[index].value = value
        } else {
            members.append(Member(name, value))
        }
        return .object(members)
    }
}

import AuthModel
import Crypto
import CryptoExtras
import LocalServer
import Synchronization
import TOML

@testable import Sandbox

/// A service that answers as its row says, over TLS and under its own host names.
///
/// It checks what every authorization server checks by itself: the code, the redirect address and the code verifier. A request for which the
/// row has no answer is noted, with the reason.
final class ServicePlayer: Sendable {
    private struct State {
        /// The answers that come before the row's own.
        var failures: [ServiceRow.Answer] = []
        var used: Set<String> = []
        /// The parameters of the latest authorization request.
        var authorization: [String: String] = [:]
        var pushed: [String: [String: String]] = [:]
        /// The redirect addresses that Yett registered, and the client that it got.
        var registered: [String]?
        var clientID: String?
        var accessTokens: [String] = []
        var complaints: [String] = []
        var requests: [String] = []
    }

    private let row: ServiceRow
    private let now: @Sendable () -> Timestamp
    private let lease: RSAKeyPool.Lease
    private let curve: SandboxKey
    private let identity: TLSIdentity
    private let state = Mutex(State())

    init(_ row: ServiceRow, now: @escaping @Sendable () -> Timestamp) throws {
        self.row = row
        self.now = now
        lease = try RSAKeyPool.shared.borrow()
        curve = try .make(for: .es256)
        identity = try TLSIdentity(hosts: row.hosts)
    }

    /// The certificate, which is its own root.
    var certificate: String { identity.pem }

    /// What no row foresaw, in order.
    var complaints: [String] { state.withLock(\.complaints) }

    /// The requests so far: method and URL without the query.
    var requests: [String] { state.withLock(\.requests) }

    func forgetRequests() { state.withLock { $0.requests = [] } }

    /// From now on, this answer comes first.
    func fail(with answer: ServiceRow.Answer) { state.withLock { $0.failures.append(answer) } }

    /// Starts listening, for the time of `body`.
    func running(_ body: (_ port: Int) async throws -> Void) async throws {
        let host = try await SandboxHost.start(
            port: 0, clock: now, dateSkew: { .zero }, tls: TLSConnections(presenting: identity),
            open: { _, _ in RouteTable([]) { [self] in respond(to: $0) } })
        try await host.stopping { try await body($0.port) }
    }

    // MARK: Answering

    private func respond(to request: SandboxRequest) -> SandboxResponse {
        let url = "https://" + (request.header("host") ?? "") + request.path
        let name = request.method + " " + url
        state.withLock { $0.requests.append(name) }
        if request.method == "GET", url == row.authorization.url { return authorize(request.query) }
        if request.method == "GET", documents("jwks_uri").contains(url) { return keys() }
        var reasons: [String] = []
        let candidates =
            state.withLock(\.failures).enumerated().map { ("failure \($0.offset)", $0.element) }
            + row.answers.enumerated().map { ("answer \($0.offset)", $0.element) }
        for (identifier, answer) in candidates
        where Self.plain(answer.request) == Self.plain(name) {
            if let reason = reason(against: answer, for: request) {
                reasons.append("\(identifier): \(reason)")
            } else if !answer.isUsedOnce || state.withLock({ $0.used.insert(identifier).inserted }) {
                let response = response(answer, to: request)
                return isPushing(url) ? note(pushed: request, response) : response
            }
        }
        if reasons.isEmpty, request.method == "POST", isPushing(url) { return push(request) }
        // A client may look for documents that the service does not have.
        if reasons.isEmpty, request.method == "GET", url.contains("/.well-known/") { return .notFound }
        return complain("no answer to \(name): \(reasons.isEmpty ? "the row has none" : reasons.joined(separator: "; "))")
    }

    /// Returns a request's method and URL, without the query, and without the slash of an empty path.
    private static func plain(_ request: String) -> Substring {
        let name = request.prefix { $0 != "?" }
        return name.hasSuffix("/") && name.split(separator: "/").count == 2 ? name.dropLast() : name
    }

    private func complain(_ text: String) -> SandboxResponse {
        state.withLock { $0.complaints.append(text) }
        return .text("the row does not foresee this\n", status: 501)
    }

    /// Returns the URLs that the row's metadata documents have under this name.
    private func documents(_ member: String) -> [String] {
        row.answers.compactMap { (try? JSONValue(strict: $0.body))?[member]?.string }
    }

    private func authorize(_ query: [(name: String, value: String)]) -> SandboxResponse {
        var parameters = Dictionary(query.map { ($0.name, $0.value) }) { first, _ in first }
        for (name, wanted) in row.authorization.parameters.sorted(by: { $0.key < $1.key }) {
            if let reason = Self.reason(name, parameters[name], wanted) { return complain("authorization request: \(reason)") }
        }
        if let reference = parameters["request_uri"], let pushed = state.withLock({ $0.pushed[reference] }) { parameters = pushed }
        let redirect = Self.redirect(in: parameters) ?? ""
        let client = ["client_id", "client_key", "appid", "app_id"].lazy.compactMap { parameters[$0] }.first
        guard accepts(redirect), client == clientID, let given = parameters["state"] else {
            return complain("authorization request: redirect \(redirect), client \(client ?? "-")")
        }
        state.withLock { $0.authorization = parameters }
        let own = row.authorization.callback.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
        let answer = FormEncoding.encode([(row.authorization.codeParameter, row.authorization.code), ("state", given)] + own)
        let page = row.authorization.redirect == "named" ? row.pasteRedirect : redirect
        return .redirect(to: page + "?" + answer, status: 302)
    }

    /// Compares a redirect address as the service does.
    private func accepts(_ redirect: String) -> Bool {
        let registered = state.withLock(\.registered)
        switch row.authorization.redirect {
        case "any-port": return redirect.hasPrefix("http://127.0.0.1:")
        case "localhost-any-port": return redirect.hasPrefix("http://localhost:")
        case "paste": return redirect.hasPrefix("https://")
        case "named": return !redirect.contains("://")
        default:
            if let registered { return registered.contains(redirect) }
            return redirect.hasPrefix("http://127.0.0.1:84") || redirect.hasPrefix("http://localhost:")
        }
    }

    private var clientID: String? { state.withLock(\.clientID) ?? row.clientID ?? row.authorization.parameters["client_id"] }

    private func isPushing(_ url: String) -> Bool { documents("pushed_authorization_request_endpoint").contains(url) }

    /// Keeps a pushed request under the reference in the row's answer.
    private func note(pushed request: SandboxRequest, _ response: SandboxResponse) -> SandboxResponse {
        let reference = (try? JSONValue(strict: response.text))?["request_uri"]?.string
        let parameters = Dictionary(request.form.map { ($0.name, $0.value) }) { first, _ in first }
        if let reference { state.withLock { $0.pushed[reference] = parameters } }
        return response
    }

    private func push(_ request: SandboxRequest) -> SandboxResponse {
        let reference = "urn:ietf:params:oauth:request_uri:" + String(state.withLock { $0.pushed.count })
        let parameters = Dictionary(request.form.map { ($0.name, $0.value) }) { first, _ in first }
        state.withLock { $0.pushed[reference] = parameters }
        return .json(["request_uri": .string(reference), "expires_in": 60], status: 201)
    }

    private func response(_ answer: ServiceRow.Answer, to request: SandboxRequest) -> SandboxResponse {
        let sent = Self.fields(request)
        if let code = sent["code"] ?? sent["auth_code"], let reason = fault(ofExchange: sent, code: code) { return complain(reason) }
        var body = answer.body
        for plain in ["$NOW+", "$NOW"] {
            while let range = body.firstRange(of: plain) {
                let digits = body[range.upperBound...].prefix { plain == "$NOW+" && $0.isNumber }
                body.replaceSubrange(range.lowerBound..<digits.endIndex, with: String(now().seconds + (Int64(digits) ?? 0)))
            }
        }
        if let asked = (try? JSONValue(strict: request.body))?["redirect_uris"], let client = try? JSONValue(strict: body),
            client["client_id"] != nil
        {
            state.withLock { ($0.registered, $0.clientID) = (asked.strings, client["client_id"]?.string) }
            // Every server repeats what it registered (RFC 7591 section 3.2.1).
            if client["redirect_uris"] == nil { body = client.setting("redirect_uris", asked).text }
        }
        let token =
            (try? JSONValue(strict: body))?.anyText("access_token")
            ?? FormEncoding.decode(body)?.first { $0.name == "access_token" }?.value
        if let token { state.withLock { $0.accessTokens.append(token) } }
        if body.contains("$ID_TOKEN") { body = body.replacing("$ID_TOKEN", with: idToken(accessToken: token)) }
        return .text(body, type: answer.contentType, status: answer.status, headers: answer.responseHeaders)
    }

    /// Returns what is wrong with the exchange of a code.
    private func fault(ofExchange sent: [String: String], code: String) -> String? {
        let asked = state.withLock(\.authorization)
        // Without an authorization request, the parameter has a device code.
        guard !asked.isEmpty else { return nil }
        guard code == row.authorization.code else { return "the code was changed: \(code)" }
        guard Self.redirect(in: sent) == Self.redirect(in: asked) else {
            return "the redirect address was changed: \(Self.redirect(in: sent) ?? "-")"
        }
        let verifier = sent["code_verifier"] ?? sent["codeVerifier"]
        guard let challenge = asked["code_challenge"] else { return verifier.map { "a verifier without a challenge: \($0)" } }
        let hash = Array(SHA256.hash(data: Array((verifier ?? "").utf8)))
        // 256 bits are 64 hexadecimal digits.
        let expected = challenge.count == 64 ? hash.hexadecimal : SandboxBase64.url(hash)
        return expected == challenge ? nil : "the code verifier is wrong"
    }

    private static func redirect(in parameters: [String: String]) -> String? {
        ["redirect_uri", "redirect_url", "redirectUri"].lazy.compactMap { parameters[$0] }.first
    }

    // MARK: Conditions

    private static func reason(_ name: String, _ value: String?, _ wanted: String) -> String? {
        switch (wanted, value) {
        case ("*", nil): "\(name) is missing"
        case ("-", let value?): "\(name) is there: \(value)"
        case ("*", _), ("-", nil): nil
        default: value == wanted ? nil : "\(name) is \(value ?? "missing"), not \(wanted)"
        }
    }

    /// The members of a form or of a JSON body, and the query of a GET.
    private static func fields(_ request: SandboxRequest) -> [String: String] {
        if request.method == "GET" { return Dictionary(request.query.map { ($0.name, $0.value) }) { first, _ in first } }
        let pairs =
            request.form.isEmpty
            ? ((try? JSONValue(strict: request.body))?.members ?? []).map { ($0.name, $0.value.string ?? $0.value.text) }
            : request.form.map { ($0.name, $0.value) }
        return Dictionary(pairs) { first, _ in first }
    }

    private func reason(against answer: ServiceRow.Answer, for request: SandboxRequest) -> String? {
        let fields = Self.fields(request)
        let isForm = request.header("content-type")?.hasPrefix("application/x-www-form-urlencoded") == true
        if answer.form != nil, !isForm { return "the body is not a form" }
        if answer.json != nil, isForm { return "the body is not JSON" }
        for (name, wanted) in (answer.form ?? [:]).merging(answer.json ?? [:], uniquingKeysWith: { $1 }) {
            if let reason = Self.reason(name, fields[name], wanted) { return reason }
        }
        for (name, wanted) in answer.query {
            if let reason = Self.reason(name, request.parameter(name), wanted) { return reason }
        }
        for (name, wanted) in answer.headers {
            let value = request.header(name)
            if ["bearer", "bearer-refreshed", "basic"].contains(wanted) {
                guard let value, credentials(wanted).contains(value) else { return "\(name) is \(value ?? "missing"), not \(wanted)" }
            } else if let reason = Self.reason(name, value, wanted) {
                return reason
            }
        }
        return nil
    }

    private func credentials(_ kind: String) -> [String] {
        let tokens = state.withLock(\.accessTokens)
        switch kind {
        case "basic":
            let pair = FormEncoding.escape(clientID ?? "") + ":" + FormEncoding.escape(row.clientSecret ?? "")
            return ["Basic " + SandboxBase64.standard(Array(pair.utf8))]
        case "bearer-refreshed": return tokens.last.map { ["Bearer " + $0] } ?? []
        default: return tokens.map { "Bearer " + $0 }
        }
    }

    // MARK: ID tokens

    private func keys() -> SandboxResponse {
        func key(_ key: SandboxKey, _ algorithm: String) -> JSONValue {
            let jwk = ((try? key.publicMembers()) ?? .object([])).setting("use", "sig")
            let named = row.idToken.keyID.map { jwk.setting("kid", .string($0)) } ?? jwk
            return row.idToken.keyHasAlgorithm ? named.setting("alg", .string(algorithm)) : named
        }
        let own = row.idToken.algorithm == "ES256" ? key(curve, "ES256") : key(lease.key, row.idToken.algorithm)
        return .json(["keys": .array([own])])
    }

    private func idToken(accessToken: String?) -> String {
        let algorithm = row.idToken.algorithm
        let asked = state.withLock(\.authorization)
        let issuer = row.answers.lazy.compactMap { (try? JSONValue(strict: $0.body))?["issuer"]?.string }.first
        var claims: JSONValue = [
            "iss": .string(issuer ?? ""), "aud": .string(clientID ?? ""),
            "iat": .number(String(now().seconds)), "exp": .number(String(now().seconds + 3600)),
        ]
        if let nonce = asked["nonce"] { claims = claims.setting("nonce", .string(nonce)) }
        if let accessToken {
            let bytes = Array(accessToken.utf8)
            let digest = algorithm.hasSuffix("512") ? Array(SHA512.hash(data: bytes)) : Array(SHA256.hash(data: bytes))
            claims = claims.setting("at_hash", .string(SandboxBase64.url(digest.prefix(digest.count / 2))))
        }
        for member in row.idToken.claims.members ?? [] {
            claims = member.value.string == "-" ? claims.removing(member.name) : claims.setting(member.name, JSONValue(member.value))
        }
        var header: JSONValue = ["alg": .string(algorithm), "typ": "JWT"]
        if let keyID = row.idToken.keyID { header = header.setting("kid", .string(keyID)) }
        let message = Array("\(SandboxBase64.url(Array(header.text.utf8))).\(SandboxBase64.url(Array(claims.text.utf8)))".utf8)
        return String(decoding: message, as: UTF8.self) + "." + SandboxBase64.url(signature(of: message, algorithm))
    }

    private func signature(of message: [UInt8], _ algorithm: String) -> [UInt8] {
        if algorithm == "RS512", case .rsa(let key) = lease.key {
            let signature = try? key.signature(for: SHA512.hash(data: message), padding: .insecurePKCS1v1_5)
            return signature.map { Array($0.rawRepresentation) } ?? []
        }
        return (try? (algorithm == "ES256" ? curve : lease.key).signature(of: message)) ?? []
    }
}

extension JSONValue {
    fileprivate init(_ value: TOMLValue) {
        switch value {
        case .string(let text), .moment(let text): self = .string(text)
        case .integer(let number): self = .number(String(number))
        case .float(let number): self = .number(String(number))
        case .boolean(let flag): self = .bool(flag)
        case .array(let elements): self = .array(elements.map { JSONValue($0) })
        case .table(let members): self = .object(members.map { Member($0.name, JSONValue($0.value)) })
        }
    }

    /// Returns the first text under this name, at any depth.
    fileprivate func anyText(_ name: String) -> String? {
        if let text = self[name]?.string { return text }
        return (members?.map(\.value) ?? array ?? []).lazy.compactMap { $0.anyText(name) }.first
    }
}

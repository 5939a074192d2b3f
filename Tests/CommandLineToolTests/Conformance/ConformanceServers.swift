import AuthModel
import Crypto
import OAuth
import Synchronization

/// An MCP server and its authorization server, as the scenarios of the official client conformance suite have them.
final class ConformanceServers: Sendable {
    /// The properties of a scenario's servers.
    struct Options: Sendable {
        /// The path of the resource's metadata; `nil` for none (2025-03-26).
        var resourceMetadata: String? = "/.well-known/oauth-protected-resource/mcp"
        /// Whether a refusal has a challenge at all.
        var challenges = true
        /// The answer to a request for what is not there.
        var absent = StandInServer.Answer(status: 404)
        /// The authorization server as the resource names it; `nil` for its issuer.
        var namedServer: (@Sendable (_ issuer: String) -> String)?
        /// Whether the MCP server is at its address with a slash, and redirects there.
        var hasSlash = false
        /// Whether its metadata name it with the slash then.
        var namesSlash = true
        /// The challenge of a refusal, instead of one that is built.
        var challenge: String?
        /// The same, asked for at each refusal.
        var challengeNow: (@Sendable () -> String)?
        /// The scope in the answer to a registration.
        var registeredScope: String?
        /// Whether the challenge names the resource's metadata.
        var namesMetadata = true
        /// The resource in the metadata, instead of the server's URL.
        var resource: String?
        /// The path of the authorization server's metadata; `nil` for none.
        var metadata: String? = "/.well-known/oauth-authorization-server"
        var isOpenID = false
        /// The beginning of the authorization server's paths.
        var prefix = ""
        /// Whether the issuer is the origin in spite of the prefix.
        var isIssuerOrigin = false
        /// The issuer in the metadata, instead of the real one.
        var metadataIssuer: String?
        /// The same, asked for at each request.
        var metadataIssuerNow: (@Sendable () -> String)?
        /// Whether the issuer has a document of its own, without registration, besides that of the prefix.
        var hasRootDocument = false
        /// The origin of the page in the metadata, instead of the server's, after what was seen so far.
        var pageOrigin: (@Sendable (Record) -> String?)?
        /// Whether the token endpoint is there, too.
        var tokensAreWithPage = false
        /// The origin of the token endpoint in the metadata, instead of the server's.
        var tokenOrigin: String?
        /// Its path.
        var tokenPath: String?
        /// Whether GET opens a stream, whose end never comes.
        var opensStream = false
        /// The status of userinfo; `nil` for none.
        var userInfoStatus: Int?
        /// The error in each callback.
        var callbackError: String?
        /// Whether the secret of the first registration has ended already.
        var firstSecretIsOver = false
        /// Refuses registrations that name scopes.
        var refusesRegisteredScopes = false
        /// Whether tokens come with an ID token whose key is not published.
        var hasUnverifiableIDToken = false
        /// Whether the metadata name the real one when they are read again.
        var changesIssuer = false
        /// The scopes in the resource's metadata.
        var resourceScopes: [String]?
        /// The scopes in the authorization server's metadata.
        var serverScopes: [String]?
        /// The scope of the first challenge.
        var scope: String?
        /// The scope that a token for `tools/call` needs, which its challenge names.
        var callScope: String?
        /// Whether no scope is ever enough.
        var refusesScopes = false
        /// Whether `initialize` and notifications need no token.
        var opensFreely = false
        var authenticationMethods = ["none"]
        /// Whether a registration names its method. Otherwise it has a secret that was not asked for.
        var namesMethod = false
        /// Whether the server is of the revision 2026-07-28, which has no sessions.
        var isStateless = false
        var registersClients = true
        /// Whether a registration can be deleted (RFC 7592).
        var deletesClients = false
        /// Called for each revocation of a token; `nil` if there are none.
        var revoked: (@Sendable () -> Void)?
        var acceptsDocuments = false
        var announcesIssuer: Bool? = true
        /// The `iss` of callbacks.
        var callbackIssuer = CallbackIssuer.right
        /// Whether the server is its own authorization server.
        var isOwnServer = false
        var grantTypes = ["authorization_code", "refresh_token"]
        var grantProfiles: [String]?
        /// Checks a token request without a code: returns the error code of the refusal, and `nil` for a token.
        var redeem: (@Sendable (TokenRequest) -> String?)?
        /// Whether the resource names another authorization server after the first list of tools.
        var moves = false
        /// Changes the properties of that server.
        var changesNext: (@Sendable (inout Options) -> Void)?
        /// Judges the proofs of tokens that are bound to a key; `nil` for tokens that are not (RFC 9449).
        var judge: ProofJudge?

        /// The usual properties, changed.
        static func with(_ change: (inout Self) -> Void) -> Self {
            var options = Self()
            change(&options)
            return options
        }
    }

    /// A request to the token endpoint of an issuer.
    struct TokenRequest: Sendable {
        let form: [String: String]
        let authorization: String?
        let issuer: String
    }

    enum CallbackIssuer: Sendable { case right, wrong, missing, withSlash }

    /// What the servers have seen.
    struct Record: Sendable {
        var registrations: [JSONValue] = []
        var authorizations: [[String: String]] = []
        var tokenRequests: [(form: [String: String], authorization: String?)] = []
        var paths: [String] = []
        /// The scopes of each issued token.
        var tokens: [String: [String]] = [:]
        /// Violations of what every scenario requires.
        var violations: [String] = []
        var challenge: String?
        var hasMoved = false
    }

    private let record: Mutex<Record>
    private let servers: Mutex<(resource: StandInServer, authorization: StandInServer?)?>

    var seen: Record { record.withLock { $0 } }
    /// The server that the resource names after its move.
    let next: ConformanceServers?

    var address: String { (servers.withLock { $0?.resource.origin } ?? "") + "/mcp" }
    var authorizationOrigin: String { servers.withLock { $0?.authorization?.origin ?? $0?.resource.origin } ?? "" }

    init(_ options: Options, isSecond: Bool = false) throws {
        record = Mutex(Record())
        servers = Mutex(nil)
        // A server of grants has a successor of its own kind.
        var nextOptions = options.redeem == nil ? Options() : options
        options.changesNext?(&nextOptions)
        next = try options.moves && !isSecond ? ConformanceServers(nextOptions, isSecond: true) : nil
        let part = Part(options: options, prefix: isSecond ? "second" : "first")
        let box = Box()
        let resource = try StandInServer { request in box.owner?.resourceAnswer(request, part) ?? .init(status: 500) }
        let authorization =
            try options.isOwnServer
            ? nil : StandInServer { request in box.owner?.authorizationAnswer(request, part) ?? .init(status: 500) }
        servers.withLock { $0 = (resource, authorization) }
        box.set(self)
    }

    /// Lets the servers find their owner without keeping it.
    private final class Box: Sendable {
        private struct Weak { weak var value: ConformanceServers? }
        private let held = Mutex(Weak())
        var owner: ConformanceServers? { held.withLock { $0.value } }
        func set(_ owner: ConformanceServers) { held.withLock { $0.value = owner } }
    }

    private struct Part: Sendable {
        let options: Options
        let prefix: String
    }

    // MARK: The MCP server

    private func resourceAnswer(_ request: StandInServer.Request, _ part: Part) -> StandInServer.Answer {
        let options = part.options
        record.withLock { $0.paths.append("\(request.method) \(request.target)") }
        if let path = options.resourceMetadata, request.target == path { return .json(resourceMetadata(options)) }
        if options.hasSlash, request.target == "/mcp" { return .init(status: 307, headers: ["Location: /mcp/"]) }
        guard request.target == (options.hasSlash ? "/mcp/" : "/mcp") else {
            return options.isOwnServer ? authorizationAnswer(request, part) : options.absent
        }
        guard request.method == "POST" else {
            guard options.opensStream else { return .init(status: 405) }
            return .init(headers: ["Content-Type: text/event-stream"], body: Array(": \n".utf8), announced: 1000)
        }
        guard let message = try? JSONValue(strict: request.body), let method = message["method"]?.string else { return .init(status: 400) }
        let isFree = options.opensFreely && (method == "initialize" || method.hasPrefix("notifications/"))
        let mismatch = options.isStateless ? mismatch(of: request, message) : nil
        // A server that needs no token for some requests reads them first.
        if options.opensFreely, let mismatch { return mismatch }
        if !isFree, let refusal = refusal(of: request, method, options) { return refusal }
        if let mismatch { return mismatch }
        guard let id = message["id"] else { return .init(status: 202) }
        let result: JSONValue =
            switch method {
            case "initialize":
                [
                    "protocolVersion": message["params"]?["protocolVersion"] ?? "2025-11-25", "capabilities": ["tools": .object([])],
                    "serverInfo": ["name": "conformance", "version": "1"],
                ]
            case "tools/list": ["tools": [["name": "test-tool", "inputSchema": ["type": "object"]]]]
            case "tools/call": ["content": [["type": "text", "text": "test"]]]
            default: .object([])
            }
        if method == "tools/list", options.moves { record.withLock { $0.hasMoved = true } }
        return .json(["jsonrpc": "2.0", "id": id, "result": result])
    }

    /// Returns the error for a request that has not what the revision 2026-07-28 requires of all.
    private func mismatch(of request: StandInServer.Request, _ message: JSONValue) -> StandInServer.Answer? {
        let meta = message["params"]?["_meta"]
        let version = request.header("MCP-Protocol-Version")
        let code: JSONValue? =
            if version == nil || request.header("Mcp-Method") != message["method"]?.string {
                -32020
            } else if meta?["io.modelcontextprotocol/protocolVersion"] == nil || meta?["io.modelcontextprotocol/clientCapabilities"] == nil
            {
                -32602
            } else if meta?["io.modelcontextprotocol/protocolVersion"]?.string != version {
                -32020
            } else {
                version == "2026-07-28" ? nil : -32022
            }
        guard let code else { return nil }
        return .json(
            ["jsonrpc": "2.0", "id": message["id"] ?? .null, "error": ["code": code, "message": "no request of 2026-07-28"]], status: 400)
    }

    private func resourceMetadata(_ options: Options) -> JSONValue {
        let own = options.namedServer?(issuer(options)) ?? issuer(options)
        let server = seen.hasMoved ? next?.authorizationOrigin ?? "" : own
        let isAtRoot = options.resourceMetadata == "/.well-known/oauth-protected-resource"
        let resource =
            options.resource ?? (isAtRoot ? String(address.dropLast(4)) : address + (options.hasSlash && options.namesSlash ? "/" : ""))
        var members: [JSONValue.Member] = [.init("resource", .string(resource)), .init("authorization_servers", [.string(server)])]
        if let scopes = options.resourceScopes { members.append(.init("scopes_supported", JSONValue(scopes))) }
        return .object(members)
    }

    private func refusal(of request: StandInServer.Request, _ method: String, _ options: Options) -> StandInServer.Answer? {
        if let judge = options.judge {
            let place = String(address.dropLast(4)) + (options.resourceMetadata ?? "")
            return judge.refusal(of: request, to: address, metadata: place)
        }
        let token = request.header("Authorization").flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
        let scopes = token.flatMap { token in
            seen.hasMoved ? next?.seen.tokens[token] : seen.tokens[token]
        }
        // Only a server that opens freely leaves the code away where there is no token.
        let code = token == nil && options.opensFreely ? nil : "invalid_token"
        guard let scopes else { return challenge(status: 401, scope: options.scope, error: code, options) }
        let wanted = method == "tools/call" ? options.callScope ?? options.scope : options.scope
        guard let wanted, options.refusesScopes || !scopes.contains(wanted) else { return nil }
        return challenge(status: 403, scope: wanted, error: "insufficient_scope", options)
    }

    private func challenge(status: Int, scope: String?, error: String?, _ options: Options) -> StandInServer.Answer {
        var parameters: [String] = []
        if let error { parameters.append("error=\"\(error)\"") }
        if let scope { parameters.append("scope=\"\(scope)\"") }
        if options.namesMetadata, let path = options.resourceMetadata {
            parameters.append("resource_metadata=\"\(address.dropLast(4))\(path)\"")
        }
        guard options.challenges else { return .init(status: status) }
        let built = "Bearer" + (parameters.isEmpty ? "" : " " + parameters.joined(separator: ", "))
        let field = "WWW-Authenticate: " + (options.challengeNow?() ?? options.challenge ?? built)
        return .init(status: status, headers: [field, "Content-Type: application/json"], body: Array("{}".utf8))
    }

    // MARK: The authorization server

    private func issuer(_ options: Options) -> String { authorizationOrigin + (options.isIssuerOrigin ? "" : options.prefix) }

    private func authorizationAnswer(_ request: StandInServer.Request, _ part: Part) -> StandInServer.Answer {
        let options = part.options
        let (path, query) = request.target.split(at: "?")
        record.withLock { $0.paths.append("\(request.method) \(path)") }
        if path == options.metadata { return .json(metadata(options)) }
        if options.hasRootDocument, path == "/.well-known/oauth-authorization-server" {
            var own = options
            (own.registersClients, own.tokenOrigin, own.tokenPath) = (false, nil, nil)
            return .json(metadata(own))
        }
        guard path.hasPrefix(options.prefix) else { return options.absent }
        switch path.dropFirst(options.prefix.count) {
        case "/register" where request.method == "DELETE": return .init(status: options.deletesClients ? 204 : 405)
        case "/revoke" where options.revoked != nil:
            options.revoked?()
            return .init(status: 200)
        case "/register" where options.registersClients: return register(request, part)
        case "/authorize": return authorize(Self.form(query), options)
        case "/token": return token(request, part)
        case "/userinfo": return options.userInfoStatus.map { .init(status: $0) } ?? options.absent
        default: return options.absent
        }
    }

    private func metadata(_ options: Options) -> JSONValue {
        let base = authorizationOrigin + options.prefix
        let isFirst = seen.paths.count { $0.hasSuffix(options.metadata ?? " ") } == 1
        let fixed = isFirst || !options.changesIssuer ? options.metadataIssuer ?? issuer(options) : issuer(options)
        let page = options.pageOrigin?(seen) ?? authorizationOrigin
        let tokens = options.tokenOrigin ?? (options.tokensAreWithPage ? page : authorizationOrigin)
        let tokenPath = options.tokenPath ?? options.prefix + "/token"
        var members: [JSONValue.Member] = [
            .init("issuer", .string(options.metadataIssuerNow?() ?? fixed)),
            .init("authorization_endpoint", .string(page + options.prefix + "/authorize")),
            .init("token_endpoint", .string(tokens + tokenPath)),
            .init("response_types_supported", ["code"]), .init("grant_types_supported", JSONValue(options.grantTypes)),
            .init("code_challenge_methods_supported", ["S256"]),
            .init("token_endpoint_auth_methods_supported", JSONValue(options.authenticationMethods)),
        ]
        if options.registersClients { members.append(.init("registration_endpoint", .string(base + "/register"))) }
        if options.revoked != nil { members.append(.init("revocation_endpoint", .string(base + "/revoke"))) }
        if options.userInfoStatus != nil { members.append(.init("userinfo_endpoint", .string(base + "/userinfo"))) }
        if let announced = options.announcesIssuer {
            members.append(.init("authorization_response_iss_parameter_supported", .bool(announced)))
        }
        if let scopes = options.serverScopes { members.append(.init("scopes_supported", JSONValue(scopes))) }
        if let profiles = options.grantProfiles { members.append(.init("authorization_grant_profiles_supported", JSONValue(profiles))) }
        if options.judge != nil { members.append(.init("dpop_signing_alg_values_supported", ["ES256"])) }
        if options.acceptsDocuments { members.append(.init("client_id_metadata_document_supported", true)) }
        if options.isOpenID {
            members += [
                .init("jwks_uri", .string(authorizationOrigin + "/.well-known/jwks.json")), .init("subject_types_supported", ["public"]),
                .init("id_token_signing_alg_values_supported", ["RS256"]),
            ]
        }
        return .object(members)
    }

    private func register(_ request: StandInServer.Request, _ part: Part) -> StandInServer.Answer {
        let registration = (try? JSONValue(strict: request.body)) ?? .null
        record.withLock { record in
            record.registrations.append(registration)
            // SEP-837.
            if registration["application_type"]?.string != "native" { record.violations.append("application_type is missing") }
            if registration["grant_types"]?.array?.contains("refresh_token") != true { record.violations.append("no refresh_token grant") }
        }
        if part.options.refusesRegisteredScopes, registration["scope"] != nil { return .json(["error": "insufficient_scope"], status: 403) }
        var members: [JSONValue.Member] = [
            .init("client_id", .string("client-of-\(part.prefix)")), .init("redirect_uris", registration["redirect_uris"] ?? .array([])),
        ]
        let method = part.options.authenticationMethods[0]
        if method != "none" || !part.options.namesMethod { members.append(.init("client_secret", "made-up-secret")) }
        if part.options.firstSecretIsOver, seen.registrations.count == 1 { members.append(.init("client_secret_expires_at", 1_000_000)) }
        if part.options.deletesClients {
            members.append(.init("registration_client_uri", .string(authorizationOrigin + part.options.prefix + "/register")))
            members.append(.init("registration_access_token", "made-up-token"))
        }
        if let scope = part.options.registeredScope { members.append(.init("scope", .string(scope))) }
        if part.options.namesMethod { members.append(.init("token_endpoint_auth_method", .string(method))) }
        return .json(.object(members), status: 201)
    }

    private func authorize(_ query: [String: String], _ options: Options) -> StandInServer.Answer {
        record.withLock { record in
            record.authorizations.append(query)
            record.challenge = query["code_challenge"]
            if query["code_challenge_method"] != "S256" || query["code_challenge"] == nil { record.violations.append("no PKCE with S256") }
            if query["resource"] == nil { record.violations.append("no resource in the authorization request") }
        }
        let result = options.callbackError.map { "error=\($0)" } ?? "code=test-auth-code"
        var callback = (query["redirect_uri"] ?? "") + "?\(result)&state=" + (query["state"] ?? "")
        let named = options.metadataIssuer ?? issuer(options)
        switch options.callbackIssuer {
        case .right: callback += options.metadata == nil ? "" : "&iss=\(Self.escaped(named))"
        case .wrong: callback += "&iss=https%3A%2F%2Fevil.example.com"
        case .withSlash: callback += "&iss=\(Self.escaped(named + "/"))"
        case .missing: break
        }
        return .init(status: 302, headers: ["Location: \(callback)"])
    }

    /// Answers a request of an extension, which has no code and no page.
    private func redeem(
        _ form: [String: String], _ authorization: String?, _ options: Options, _ check: @Sendable (TokenRequest) -> String?
    ) -> StandInServer.Answer {
        let error = check(TokenRequest(form: form, authorization: authorization, issuer: issuer(options)))
        let token = record.withLock { record in
            record.tokenRequests.append((form, authorization))
            let token = "token-\(record.tokens.count)"
            if error == nil { record.tokens[token] = (form["scope"] ?? "").split(separator: " ").map(String.init) }
            return token
        }
        if let error { return .json(["error": .string(error)], status: error == "invalid_client" ? 401 : 400) }
        return .json(["access_token": .string(token), "token_type": "Bearer", "expires_in": 3600])
    }

    private func token(_ request: StandInServer.Request, _ part: Part) -> StandInServer.Answer {
        let form = Self.form(String(decoding: request.body, as: UTF8.self))
        if let check = part.options.redeem { return redeem(form, request.header("Authorization"), part.options, check) }
        if let refusal = part.options.judge?.refusal(ofTokenRequest: request, to: authorizationOrigin + part.options.prefix + "/token") {
            return refusal
        }
        let token = record.withLock { record in
            record.tokenRequests.append((form, request.header("Authorization")))
            let digest = Base64URL.encode(Array(SHA256.hash(data: Array((form["code_verifier"] ?? "").utf8))))
            if digest != record.challenge { record.violations.append("code_verifier does not fit") }
            if form["resource"] != record.authorizations.last?["resource"] { record.violations.append("another resource") }
            let token = "token-\(part.prefix)-\(record.tokens.count)"
            record.tokens[token] = (record.authorizations.last?["scope"] ?? "").split(separator: " ").map(String.init)
            return token
        }
        part.options.judge?.bind(token)
        let type: JSONValue = part.options.judge == nil ? "Bearer" : "DPoP"
        var members: [JSONValue.Member] = [
            .init("access_token", .string(token)), .init("token_type", type), .init("expires_in", 3600),
        ]
        // HS256, with a key that is in no document.
        if part.options.hasUnverifiableIDToken { members.append(.init("id_token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl")) }
        let scopes = seen.tokens[token] ?? []
        if !scopes.isEmpty { members.append(.init("scope", .string(scopes.joined(separator: " ")))) }
        return .json(.object(members))
    }

    // MARK: Forms

    private static func form(_ text: String) -> [String: String] {
        var form: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let (name, value) = String(pair).split(at: "=")
            form[name] = unescaped(value)
        }
        return form
    }

    private static func unescaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func escaped(_ text: String) -> String { text.replacing(":", with: "%3A").replacing("/", with: "%2F") }
}

extension StandInServer.Answer {
    /// A JSON document.
    static func json(_ value: JSONValue, status: Int = 200) -> StandInServer.Answer {
        .init(status: status, headers: ["Content-Type: application/json"], body: Array(value.text.utf8))
    }
}

extension String {
    /// The parts before and after the first separator.
    fileprivate func split(at separator: Character) -> (String, String) {
        guard let index = firstIndex(of: separator) else { return (self, "") }
        return (String(self[..<index]), String(self[self.index(after: index)...]))
    }
}

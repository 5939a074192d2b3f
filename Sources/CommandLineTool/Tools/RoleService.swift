internal import AuthModel
internal import OAuth

/// The service that issues credentials of a role for a token (AssumeRoleWithWebIdentity of AWS STS).
struct RoleService {
    let url: WebURL
    /// Whether the service is AWS's own.
    let isAWS: Bool
    private let role: String

    /// Creates the service. Throws `.usage` if the role, the region or the address is invalid.
    init(role: String, region: String?, endpoint: String?) throws(AuthFailure) {
        let parts = role.split(separator: ":", omittingEmptySubsequences: false)
        guard role.utf8.count <= 2048, parts.count >= 6, parts[0] == "arn", role.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw AuthFailure(.usage, text: "not a role ARN", hint: "use the form arn:aws:iam::123456789012:role/NAME")
        }
        self.role = role
        if let endpoint, !endpoint.isEmpty {
            guard let url = WebURL(endpoint), url.query == nil, url.fragment == nil, url.isRequestable else {
                throw AuthFailure(
                    .usage, text: "the URL of the token service is not valid", hint: "write the full URL: https://sts.example.org/")
            }
            self.url = url
            isAWS = false
            return
        }
        let isChina = parts[1] == "aws-cn"
        // Only the standard partition has an address for all regions.
        let standard = isChina ? "cn-north-1." : parts[1] == "aws-us-gov" ? "us-gov-west-1." : ""
        let place = region.flatMap { $0.isEmpty ? nil : $0 + "." } ?? standard
        guard place.utf8.allSatisfy({ $0 == 0x2E || $0 == 0x2D || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }),
            let url = WebURL("https://sts.\(place)amazonaws.com\(isChina ? ".cn" : "")/")
        else { throw AuthFailure(.usage, text: "not an AWS region", hint: "use the form eu-central-1") }
        self.url = url
        isAWS = true
    }

    func request(_ token: Secret, sessionName: String, duration: Int?) -> WebRequest {
        var fields = [
            ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
            ("RoleSessionName", Self.sessionName(from: sessionName)), ("WebIdentityToken", token.reveal()),
        ]
        if let duration { fields.append(("DurationSeconds", String(duration))) }
        return WebRequest(
            method: .post, url: url,
            headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/xml")],
            body: Array(FormEncoding.encode(fields).utf8))
    }

    /// Returns everything that the credentials depend on, as a key of kept credentials.
    func purpose(sessionName: String, duration: Int?, wanted: TokenRequest.Wanted) -> String {
        let parts = [url.text, role, Self.sessionName(from: sessionName), duration.map(String.init) ?? "", wanted.rawValue]
        return JSONValue.array((["aws"] + parts).map(JSONValue.string)).text
    }

    /// Returns until when credentials may be given to a tool again; `nil` if they are too short-lived to be kept.
    ///
    /// AWS's libraries ask for new credentials from 15 minutes before the end, and would ask again and again for the old ones.
    static func usableUntil(_ credentials: JSONValue, now: Timestamp) -> Timestamp? {
        guard let end = credentials["Expiration"]?.string.flatMap({ Timestamp($0) }) else { return nil }
        // No role's credentials are valid for more than 12 hours.
        let lifetime = min(end - now, .seconds(43_200))
        let limit = now + (lifetime - min(.seconds(900), lifetime / 4))
        return limit > now ? limit : nil
    }

    /// Returns a valid AWS role session name: 2 to 64 allowed characters.
    static func sessionName(from text: String) -> String {
        let name = String(
            text.unicodeScalars.map { scalar -> Character in
                let isTaken = UInt8(exactly: scalar.value).map { $0.isASCIIAlphanumeric || "_=,.@+-".utf8.contains($0) }
                return isTaken == true ? Character(scalar) : "-"
            }.prefix(64))
        return name.utf8.count < 2 ? "yett" : name
    }

    /// Returns the credentials in the format of a `credential_process`. Error messages contain only the service's error code, nothing else
    /// of the response.
    func credentials(in answer: WebResponse) throws(AuthFailure) -> JSONValue {
        let host = url.origin.authority
        let text = String(decoding: answer.body, as: UTF8.self)
        guard answer.status == 200 else {
            guard (400..<500).contains(answer.status), answer.status != 429 else {
                throw AuthFailure(
                    .unavailable(retryAfter: nil), text: "\(host) answered with status \(answer.status)", hint: "try again later")
            }
            let code = Self.element("Code", in: text).flatMap {
                $0.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: ".") } ? $0 : nil
            }
            throw AuthFailure(
                .denied(code: code), text: "\(host) refused credentials for the role: \(code ?? "status \(answer.status)")",
                hint: "check that the role trusts this provider, client and account")
        }
        var members: [JSONValue.Member] = [.init("Version", 1)]
        for name in ["AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"] {
            guard let value = Self.element(name, in: text), name != "Expiration" || Timestamp(value) != nil else {
                throw AuthFailure(
                    .security, text: "\(host) returned no usable credentials",
                    hint: "check that the URL is that of a token service")
            }
            members.append(.init(name, .string(value)))
        }
        return .object(members)
    }

    /// Returns the text of the first element with this name. Accepts only visible ASCII characters without markup, because valid values
    /// have no others.
    private static func element(_ name: String, in text: String) -> String? {
        guard let start = text.firstRange(of: "<\(name)>"), let end = text[start.upperBound...].firstRange(of: "</\(name)>") else {
            return nil
        }
        let value = text[start.upperBound..<end.lowerBound]
        guard !value.isEmpty, value.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") })
        else {
            return nil
        }
        return String(value)
    }
}

/// The AWS roles that a provider names in a session's claims.
///
/// There is no standard claim for them. Amazon Cognito has claims of its own; other providers put them into roles, groups, or a claim whose
/// name is an address of AWS. Only values that are ARNs of roles count.
struct RoleClaims {
    /// The ARNs, the preferred role first, each once.
    let roles: [String]

    private static let preferred = "cognito:preferred_role"
    private static let names = ["cognito:roles", "roles", "groups"]
    private static let addressPrefix = "https://aws.amazon.com/"
    /// The maximum number of roles.
    private static let limit = 200

    init(_ identity: Identity) {
        let sources = [identity.idTokenClaims, identity.userInfo]
        func values(_ name: String) -> [JSONValue] { sources.compactMap { $0[name] } }
        let addresses = sources.flatMap { ($0.members ?? []).map(\.name) }.filter { $0.hasPrefix(Self.addressPrefix) }
        let texts = ([Self.preferred] + Self.names + addresses).flatMap(values).flatMap { value in
            value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
        }
        var seen: Set<String> = []
        roles = Array(texts.flatMap(Self.parts).filter { Self.isRole($0) && seen.insert($0).inserted }.prefix(Self.limit))
    }

    /// Returns the ARNs of a value. The form of SAML has two, of a role and of the provider that the role trusts.
    private static func parts(of text: String) -> [String] {
        let pieces = text.split(separator: ",arn:", omittingEmptySubsequences: false)
        return pieces.enumerated().map { $0 == 0 ? String($1) : "arn:\($1)" }
    }

    /// Returns whether a text is the ARN of a role: `arn:PARTITION:iam::ACCOUNT:role/PATH/NAME`.
    static func isRole(_ text: String) -> Bool {
        let parts = text.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)
        guard text.utf8.count <= 2048, parts.count == 6, parts[0] == "arn", parts[2] == "iam", parts[3].isEmpty else { return false }
        let partition = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        guard partition.first == "aws", partition.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x61...0x7A).contains($0) } }),
            AccountRole.isAccount(String(parts[4])), parts[5].hasPrefix("role/")
        else { return false }
        let path = parts[5].dropFirst("role/".count).split(separator: "/", omittingEmptySubsequences: false)
        return (path.last?.utf8.count ?? 0) <= 64
            && path.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_+=,.@-".utf8.contains($0) } }
    }
}

extension ToolSession {
    /// Returns the AWS roles that the session's claims name. Throws `.configuration` if there are none.
    func roles() async throws(AuthFailure) -> [String] {
        let roles = RoleClaims(try await service.session(session.name).identity).roles
        guard !roles.isEmpty else {
            throw AuthFailure(
                .configuration, text: "the claims of \(session.name) name no AWS role",
                hint: "give one with --role-arn; the provider can name roles in the claim cognito:roles, roles or groups")
        }
        return roles
    }
}

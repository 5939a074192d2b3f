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
        let place = region.flatMap { $0.isEmpty ? nil : $0 + "." } ?? (isChina ? "cn-north-1." : "")
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
                let isTaken =
                    scalar.isASCII
                    && (Character(scalar).isLetter || Character(scalar).isNumber || "_=,.@+-".unicodeScalars.contains(scalar))
                return isTaken ? Character(scalar) : "-"
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
                $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") } ? $0 : nil
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

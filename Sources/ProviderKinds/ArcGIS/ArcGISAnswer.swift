import AuthEngine
import AuthModel
import OAuth

/// An answer of ArcGIS: JSON with status 200, for errors too.
struct ArcGISAnswer {
    let document: JSONValue

    /// An error inside an answer.
    struct Fault: Error, Equatable {
        /// ArcGIS's own error code: 498 for an invalid token, 499 for a missing token, 403 for insufficient rights.
        var code: Int64
        /// The OAuth error code, if there is one.
        var name: String?
        /// The error message; text from the server.
        var message: String?

        /// Whether a token, or another token, would help.
        var needsToken: Bool { code == 498 || code == 499 }

        /// The error in one line, such as `498 Invalid token.`, reduced to text that is safe to show.
        var line: String {
            let words = ServerError(code: name ?? String(code), description: message)
            return name == nil ? words.line.replacing(": ", with: " ", maxReplacements: 1) : "\(code) \(words.line)"
        }
    }

    /// Reads the body of an answer.
    ///
    /// An error usually has status 200. An error with another status is read in the same way.
    ///
    /// - Throws: `.security` for a redirect; `.unavailable` for any other answer that is not a JSON object, or that has nothing but a
    ///   status.
    static func read(_ response: WebResponse, from host: String, when what: UserMessage) throws(AuthFailure) -> Result<JSONValue, Fault> {
        try response.refuseRedirect(from: .verbatim(host), when: what)
        if let fault = Fault(answer: response) { return .failure(fault) }
        guard response.status == 200 else {
            throw AuthFailure(
                .unavailable(retryAfter: nil),
                UserMessage("arcgis.unexpected_status_when", ["host": host, "status": response.status, "purpose": what]),
                hint: "hint.try_again_in_a_moment"
            )
        }
        guard let document = response.document, document.members != nil else {
            throw AuthFailure.notJSON(from: host, when: what, hint: "hint.arcgis_check_portal_url_or_proxy")
        }
        return .success(document)
    }
}

extension ArcGISAnswer.Fault {
    /// Reads the error of an endpoint's answer, in either format; `nil` if there is none, or if the server itself has failed.
    init?(answer response: WebResponse) {
        guard response.status < 500, response.status != 429, let document = response.document else { return nil }
        if let name = document["error"]?.string, !name.isEmpty {
            self.init(code: 400, name: name, message: document["error_description"]?.string ?? document["message"]?.string)
        } else {
            self.init(in: document)
        }
        hideSecrets(of: response)
    }

    /// Reduces the texts of the server to what is safe to show, without the secrets of the exchange.
    mutating func hideSecrets(of response: WebResponse) {
        let words = ServerError(code: name ?? "", description: message, hiding: response.redactor)
        (name, message) = (name.map { _ in words.code }, words.description)
    }

    /// Reads the error of a document; `nil` if there is none.
    init?(in document: JSONValue) {
        guard let error = document["error"], error.members != nil else { return nil }
        let details = (error["details"]?.strings ?? []).joined(separator: "; ")
        let text = error["error_description"]?.string ?? error["message"]?.string
        let message = [text, details.isEmpty || details == text ? nil : details].compactMap(\.self).joined(separator: " ")
        let code = error["code"]?.integer ?? error["code"]?.string.flatMap { Int64($0) }
        self.init(code: code ?? 0, name: error["error"]?.string, message: message.isEmpty ? nil : message)
    }

    /// Returns the failure to report to the user.
    func failure(_ host: String, when what: UserMessage) -> AuthFailure {
        if code >= 500 {
            return AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("arcgis.failed_when", ["host": host, "purpose": what, "detail": line]),
                hint: "hint.try_again_in_a_moment")
        }
        let hint =
            switch name {
            case "invalid_client_id", "invalid_client": UserMessage("hint.check_client_id")
            case "invalid_redirect_uri": UserMessage("hint.arcgis_register_redirect")
            default: code == 498 ? UserMessage("hint.repeat_sign_in") : UserMessage("hint.arcgis_contact_administrator")
            }
        return AuthFailure(
            .denied(code: name ?? String(code)), UserMessage("http.refused_when", ["host": host, "action": what, "detail": line]),
            hint: hint)
    }
}

/// The URLs of a portal and its servers.
enum ArcGISAddress {
    /// Returns the URL of a path below the REST root of a portal.
    static func rest(of portal: WebURL, _ path: String) -> WebURL? { WebURL(portal.text + "/sharing/rest" + path) }

    /// Returns the portal or server that a URL belongs to: the part before `/sharing` or `/rest`, or the origin if the URL has neither.
    /// `nil` if servers read the path in more than one way.
    static func root(of given: WebURL) -> WebURL? {
        guard let url = given.normalized, !url.hasEncodedSlash else { return nil }
        let path = url.path + "/"
        let end = (path.firstRange(of: "/sharing/") ?? path.firstRange(of: "/rest/"))?.lowerBound
        return WebURL(url.origin.description + (end.map { String(path[..<$0]) } ?? ""))
    }

    /// Whether a URL belongs to the portal's own REST interface. A server may have the same host, and may even be below a portal at its
    /// root.
    static func isPortal(_ url: WebURL, _ portal: WebURL) -> Bool {
        WebURL(portal.text + "/sharing").flatMap { depth(of: url, in: $0) } != nil || isSameOnline(url, portal)
    }

    /// Returns the length of the path of `root` in bytes, if `url` is within `root`; else `nil`.
    static func depth(of url: WebURL, in root: WebURL) -> Int? {
        guard url.lies(in: root) else { return nil }
        return root.path.last == "/" ? root.path.utf8.count - 1 : root.path.utf8.count
    }

    /// Whether two URLs are of the same portal. A final slash and the case of the host are ignored.
    static func isSame(_ left: WebURL, _ right: WebURL) -> Bool {
        func trimmed(_ path: String) -> Substring { path.last == "/" ? path.dropLast() : path[...] }
        return left.origin == right.origin && trimmed(left.path) == trimmed(right.path)
    }

    /// Whether both URLs are of ArcGIS Online, in the same environment. There, every host accepts the portal's token.
    static func isSameOnline(_ url: WebURL, _ portal: WebURL) -> Bool {
        guard let asked = environment(of: url), let own = environment(of: portal) else { return false }
        return asked == own
    }

    /// Returns `""` for production, `qaext` or `devext` for the other environments, and `nil` for a host outside ArcGIS Online.
    private static func environment(of url: WebURL) -> String? {
        let host = url.origin.host
        guard url.origin.scheme == .https, url.origin.port == 443, host == "arcgis.com" || host.hasSuffix(".arcgis.com") else { return nil }
        // Production: www.arcgis.com, services.arcgis.com, org.maps.arcgis.com. Others: devext.arcgis.com, org.mapsqa.arcgis.com.
        if host.contains("devext.") || host.contains("mapsdevext.") { return "devext" }
        if host.contains("qaext.") || host.contains("mapsqa.") { return "qaext" }
        return ""
    }
}

/// The requests and answers of ArcGIS resources: JSON, with errors inside answers with status 200.
struct ArcGISDialect: ResourceDialect {
    var urlIdentifiesSession: Bool { true }

    var credentialFields: Set<String> { BearerDialect().credentialFields.union(["x-esri-authorization"]) }

    func prepared(_ request: WebRequest) -> WebRequest {
        guard request.method == .get, FormEncoding.decode(request.url.query ?? "")?.contains(where: { $0.name == "f" }) == false,
            let url = request.url.appending(query: [("f", "json")])
        else { return request }
        // Without `f=json`, an error is an HTML page that a program cannot read.
        var request = request
        request.url = url
        return request
    }

    func authorized(_ request: WebRequest, with issued: IssuedToken) -> WebRequest {
        var request = request
        request.headers.append(("Authorization", "Bearer \(issued.token.reveal())"))
        request.headers += issued.fields.map { ($0.name, $0.value) }
        return request
    }

    func freeingAuthorization(_ request: WebRequest) -> WebRequest? {
        var request = request
        for index in request.headers.indices where request.headers[index].name == "Authorization" {
            request.headers[index].name = "X-Esri-Authorization"
        }
        return request
    }

    var judgesBodies: Bool { true }

    func verdict(on answer: WebResponse) -> TokenVerdict {
        if let fault = fault(in: answer) { return fault.needsToken ? .refused : .accepted }
        return BearerDialect().verdict(on: answer)
    }

    func failure(_ answer: WebResponse, from host: String) -> AuthFailure? {
        guard let fault = fault(in: answer) else { return BearerDialect().failure(answer, from: host) }
        return fault.failure(host, when: "phrase.answering_request")
    }

    func reason(_ answer: WebResponse) -> UserMessage? { (fault(in: answer)?.line).map(UserMessage.verbatim) }

    private func fault(in answer: WebResponse) -> ArcGISAnswer.Fault? {
        // Errors are short, so a large answer is not parsed.
        guard answer.status == 200 || (400..<500).contains(answer.status), answer.body.count <= 64 << 10,
            answer.body.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"),
            let document = answer.document, var fault = ArcGISAnswer.Fault(in: document)
        else { return nil }
        fault.hideSecrets(of: answer)
        return fault
    }
}

import AuthModel
import CCurl
import Glibc
import OAuth

/// One request on its way. Lives on the loop's thread.
final class CurlTransfer {
    /// All that a transfer is made from.
    struct Plan: Sendable {
        var request: WebRequest
        var policy: TransportPolicy
        var roots: CertificateRoots
        var userAgent: String
        /// Whether only the server's certificate is looked at: nothing is sent, and the answer's body is the certificate as PEM text.
        var isGlance = false
    }

    /// A limit that the transfer went over.
    enum Limit {
        case body
        case headers
        /// `localhost` was resolved to an address that is not a loopback one.
        case elsewhere
    }

    let plan: Plan
    /// libcurl's handle of it.
    let easy: UnsafeMutableRawPointer
    /// Set when a callback of ours cut the transfer off.
    private(set) var exceeded: Limit?
    /// How often the request went out, or was about to.
    private(set) var sendings = 0

    private var headerLines: OpaqueHeaderLines
    private let content: UnsafeMutableRawBufferPointer
    private let complaint = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var headers: [(name: String, value: String)] = []
    private var body: [UInt8] = []
    private var headerBytes = 0
    private var headerCount = 0
    /// The status of the answer whose header lines came last.
    private var lastStatus: Int?

    typealias OpaqueHeaderLines = UnsafeMutablePointer<curl_slist>?

    init(_ plan: Plan) throws(AuthFailure) {
        guard let easy = ccurl_easy_new() else { throw CurlFailure.noMemory }
        self.plan = plan
        self.easy = easy
        content = UnsafeMutableRawBufferPointer.allocate(byteCount: plan.request.body.count, alignment: 1)
        content.copyBytes(from: plan.request.body)
        complaint.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        headerLines = nil
        try setHeaders()
        try setOptions()
        try setCallbacks()
    }

    deinit {
        ccurl_easy_free(easy)
        // After the handle, which points to them until then. They may hold credentials.
        ccurl_headers_wipe_and_free(headerLines)
        if let base = content.baseAddress { explicit_bzero(base, content.count) }
        content.deallocate()
        complaint.deallocate()
    }

    /// What came of it, once libcurl is done with it.
    func result(_ code: CURLcode) -> Result<WebResponse, AuthFailure> {
        guard code == CURLE_OK else {
            return .failure(
                CurlFailure(
                    code: code, plan: plan, exceeded: exceeded, systemError: Int32(ccurl_easy_get_long(easy, CURLINFO_OS_ERRNO)),
                    verification: ccurl_easy_get_long(easy, CURLINFO_SSL_VERIFYRESULT),
                    proxyStatus: ccurl_easy_get_long(easy, CURLINFO_HTTP_CONNECTCODE), complaint: String(cString: complaint),
                    hasAnswer: headerBytes > 0
                ).failure)
        }
        if plan.isGlance {
            let certificate = ccurl_easy_get_certificate(easy).map { Array(String(cString: $0).utf8) }
            return .success(WebResponse(status: 0, headers: [], body: certificate ?? []))
        }
        return .success(WebResponse(status: ccurl_easy_get_long(easy, CURLINFO_RESPONSE_CODE), headers: headers, body: body))
    }

    // MARK: Setting up

    private func setHeaders() throws(AuthFailure) {
        for header in plan.request.headers {
            // libcurl takes "Name:" as the wish to leave the field out; "Name;" sends it empty.
            try append(header.value.isEmpty ? header.name + ";" : header.name + ": " + header.value)
        }
        // Fields that libcurl would add to a request with a body by itself.
        try append("Expect:")
        if !plan.request.headers.contains(where: { $0.name.lowercased() == "content-type" }) { try append("Content-Type:") }
    }

    private func append(_ line: String) throws(AuthFailure) {
        guard let list = ccurl_headers_append(headerLines, line) else { throw CurlFailure.noMemory }
        headerLines = list
    }

    /// Sets one option; what libcurl does not know or refuses is a bug here, for nothing of this may silently be left out.
    func set(_ result: CURLcode) throws(AuthFailure) {
        guard result == CURLE_OK else { throw AuthFailure(.bug, "libcurl refuses an option (error \(result.rawValue))") }
    }

    /// Gives libcurl the header lines, the body and the place for its complaints, all of which it reads in place.
    func setBuffers() throws(AuthFailure) {
        try set(ccurl_easy_set_headers(easy, headerLines))
        try set(ccurl_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, complaint))
        if sendsContent {
            try set(ccurl_easy_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, content.count))
            try set(ccurl_easy_set_pointer(easy, CURLOPT_POSTFIELDS, content.baseAddress))
        }
    }

    /// Whether a body is sent, if only an empty one.
    var sendsContent: Bool {
        plan.request.method == .post || plan.request.method == .put || !plan.request.body.isEmpty
    }

    private func setCallbacks() throws(AuthFailure) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try set(
            ccurl_easy_set_body_receiver(
                easy,
                { bytes, size, count, context in
                    guard let context else { return 0 }
                    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
                    return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().receiveBody(piece) ? piece.count : 0
                }, context))
        try set(
            ccurl_easy_set_header_receiver(
                easy,
                { bytes, size, count, context in
                    guard let context else { return 0 }
                    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
                    return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().receiveHeader(line) ? line.count : 0
                }, context))
        let gate = ccurl_easy_set_request_gate(
            easy,
            { context, peer, _, _, _ in
                guard let context else { return CURL_PREREQFUNC_ABORT }
                let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
                return transfer.mayReach(peer.map { String(cString: $0) } ?? "") && transfer.maySend()
                    ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }, context)
        try set(gate)
    }

    // MARK: Called by libcurl

    /// Whether the connection is one that the URL stands for: that of `localhost` ends on this machine, whatever resolved the name.
    private func mayReach(_ peer: String) -> Bool {
        guard plan.request.url.isPlainLocalhost, peer != "::1", !peer.hasPrefix("127.") else { return true }
        exceeded = .elsewhere
        return false
    }

    /// libcurl sends a request again when a kept connection closed without an answer. The server may have carried it out all the
    /// same, so only what is safe to repeat passes twice (RFC 9110 section 9.2.2).
    private func maySend() -> Bool {
        sendings += 1
        return sendings == 1 || plan.request.method == .get || isAnsweringDigest
    }

    /// The server said what a digest is made of (RFC 7616 section 3.3), and carried nothing out.
    private var isAnsweringDigest: Bool { sendings == 2 && plan.policy.webServerLogin?.scheme == .digest && lastStatus == 401 }

    private func receiveBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count <= plan.policy.bodyLimit - body.count else {
            exceeded = .body
            return false
        }
        body.append(contentsOf: piece)
        return true
    }

    private func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        headerBytes += line.count
        headerCount += 1
        guard headerBytes <= plan.policy.headerLimit, headerCount <= plan.policy.headerCountLimit else {
            exceeded = .headers
            return false
        }
        let text = line.prefix { $0 != 0x0D && $0 != 0x0A }
        if text.starts(with: "HTTP/".utf8) {
            // A status line begins the next answer: what came before was an interim one.
            headers = []
            lastStatus = text.split(separator: UInt8(ascii: " ")).dropFirst().first.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        } else if let colon = text.firstIndex(of: UInt8(ascii: ":")), body.isEmpty {
            let name = String(decoding: text[..<colon], as: UTF8.self)
            var value = text[text.index(after: colon)...]
            while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
            while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
            headers.append((name, String(decoding: value, as: UTF8.self)))
        }
        return true
    }
}

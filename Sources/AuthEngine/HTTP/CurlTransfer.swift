import AuthModel
import CLibraries
import Glibc
import OAuth

/// One HTTP transfer. It lives on the loop's thread.
final class CurlTransfer {
    /// The input of a transfer.
    struct Plan: Sendable {
        var request: WebRequest
        var policy: TransportPolicy
        var roots: CertificateRoots
        var userAgent: String
        /// Whether to fetch only the server's certificate: nothing is sent, and the response's body is the certificate as PEM text.
        var isCertificateProbe = false
        /// The port of this machine to connect to, with the name of the URL's host everywhere else; `nil`: the host itself.
        var localPort: Int?
        /// Gets the response in pieces; `nil` if the whole response is the result.
        var stream: ResponseStream?
        /// The body of the request, if it is written while it is sent.
        var upload: RequestBody?
        /// Whether the body is passed on as the server encoded it.
        var isRaw = false
        /// The protocol that the connection is to become; `nil` for an ordinary request. libcurl only connects then, see ``CurlTunnel``.
        var tunnel: CurlTunnel.Plan?
    }

    /// The reason why one of our callbacks ended the transfer.
    enum Limit {
        case body
        /// A compressed body grew too much when it was inflated.
        case inflation
        case headers
        /// The response has two different lengths, so the next recipient might take its end for another response (RFC 9112 section 6.3).
        case lengths
        /// The server left HTTP without being asked to (RFC 9110 section 7.8).
        case protocolSwitch
        /// `localhost` was resolved to an address that is not a loopback address.
        case elsewhere
    }

    let plan: Plan
    /// The libcurl handle.
    let easy: UnsafeMutableRawPointer
    /// Set when one of our callbacks cut the transfer off.
    private(set) var exceeded: Limit?
    /// The number of times that libcurl sent the request, or was about to.
    private(set) var sendCount = 0

    private var headerLines: OpaqueHeaderLines
    private var connectTo: OpaqueHeaderLines = nil
    private let content: UnsafeMutableRawBufferPointer
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var headers: [(name: String, value: String)] = []
    private var body: [UInt8] = []
    private var headerBytes = 0
    private var headerCount = 0
    /// The status of the latest response.
    private var lastStatus: Int?
    /// Whether the header of the final response is complete.
    private var hasHeader = false
    /// The bytes of the body so far, after inflating.
    private var bodySize = 0

    /// The maximum factor by which a compressed body may grow. Text rarely compresses by more than 30 times, and gzip can by 1,000.
    private static let inflationLimit = 100
    /// libcurl counts what it has received in portions of this size.
    private static let portion = 128 << 10

    typealias OpaqueHeaderLines = UnsafeMutablePointer<curl_slist>?

    init(_ plan: Plan) throws(AuthFailure) {
        guard let easy = ccurl_easy_new() else { throw CurlFailure.noMemory }
        self.plan = plan
        self.easy = easy
        content = UnsafeMutableRawBufferPointer.allocate(byteCount: plan.request.body.count, alignment: 1)
        content.copyBytes(from: plan.request.body)
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        headerLines = nil
        try setHeaders()
        try setOptions()
        try setCallbacks()
    }

    deinit {
        ccurl_easy_free(easy)
        // Free after the handle, which points to these buffers. They may contain credentials.
        ccurl_headers_wipe_and_free(headerLines)
        ccurl_headers_wipe_and_free(connectTo)
        if let base = content.baseAddress { explicit_bzero(base, content.count) }
        content.deallocate()
        errorText.deallocate()
    }

    /// Returns the result once libcurl has finished the transfer.
    func result(_ code: CURLcode) -> Result<WebResponse, AuthFailure> {
        // libcurl forgets an error of a callback while it continues a paused transfer.
        guard code == CURLE_OK, exceeded == nil else { return .failure(failure(code)) }
        if plan.isCertificateProbe {
            let certificate = ccurl_easy_get_certificate(easy).map { Array(String(cString: $0).utf8) }
            return .success(WebResponse(status: 0, headers: [], body: certificate ?? []))
        }
        // libcurl takes some broken responses for complete ones before their final status.
        guard hasHeader else { return .failure(failure(CURLE_GOT_NOTHING)) }
        return .success(WebResponse(status: ccurl_easy_get_long(easy, CURLINFO_RESPONSE_CODE), headers: headers, body: body))
    }

    /// Returns the failure for a result of libcurl, or for a limit that was exceeded.
    func failure(_ code: CURLcode, exceeded limit: Limit? = nil) -> AuthFailure {
        // libcurl says this also of a header line that is too long for it.
        let isLongLine = code == CURLE_OUT_OF_MEMORY && sendCount > 0 && !hasHeader
        return CurlFailure(
            code: code, plan: plan, exceeded: limit ?? exceeded ?? (isLongLine ? .headers : nil),
            systemError: Int32(ccurl_easy_get_long(easy, CURLINFO_OS_ERRNO)),
            verification: ccurl_easy_get_long(easy, CURLINFO_SSL_VERIFYRESULT),
            proxyStatus: ccurl_easy_get_long(easy, CURLINFO_HTTP_CONNECTCODE), errorText: String(cString: errorText),
            hasAnswer: headerBytes > 0
        ).failure
    }

    // MARK: Setup

    private func setHeaders() throws(AuthFailure) {
        for header in plan.request.headers {
            // libcurl reads "Name:" as an instruction to omit the field; "Name;" sends it empty.
            try append(header.value.isEmpty ? header.name + ";" : header.name + ": " + header.value)
        }
        // Suppress the fields that libcurl adds to a request with a body.
        try append("Expect:")
        if !plan.request.headers.contains(where: { $0.name.asciiLowercased() == "content-type" }) { try append("Content-Type:") }
    }

    private func append(_ line: String) throws(AuthFailure) {
        guard let list = ccurl_headers_append(headerLines, line) else { throw CurlFailure.noMemory }
        headerLines = list
    }

    /// Checks the result of setting an option. An option that libcurl does not know or refuses is a bug here, because no option may
    /// silently be missing.
    func set(_ result: CURLcode) throws(AuthFailure) {
        guard result == CURLE_OK else { throw AuthFailure(.bug, UserMessage("http.option_refused", ["code": result.rawValue])) }
    }

    /// Passes the header lines, the body and the error buffer to libcurl, which uses them in place.
    func setBuffers() throws(AuthFailure) {
        try set(ccurl_easy_set_list(easy, CURLOPT_HTTPHEADER, headerLines))
        if let port = plan.localPort {
            connectTo = ccurl_headers_append(nil, "::127.0.0.1:\(port)")
            try set(ccurl_easy_set_list(easy, CURLOPT_CONNECT_TO, connectTo))
        }
        try set(ccurl_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText))
        if sendsContent, plan.upload == nil {
            try set(ccurl_easy_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, content.count))
            try set(ccurl_easy_set_pointer(easy, CURLOPT_POSTFIELDS, content.baseAddress))
        }
    }

    /// Whether a body is sent, even an empty one.
    var sendsContent: Bool {
        plan.upload != nil || [.post, .put, .patch].contains(plan.request.method) || !plan.request.body.isEmpty
    }

    private func setCallbacks() throws(AuthFailure) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try set(
            ccurl_easy_set_body_receiver(
                easy,
                { bytes, size, count, context in
                    guard let context else { return 0 }
                    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
                    return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().receiveBody(piece)
                }, context))
        try set(
            ccurl_easy_set_body_sender(
                easy,
                { bytes, size, count, context in
                    guard let context else { return Int(CURL_READFUNC_ABORT) }
                    let space = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                    return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().fill(space)
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
                return transfer.isAllowedPeer(peer.map { String(cString: $0) } ?? "") && transfer.mayResend()
                    ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }, context)
        try set(gate)
    }

    // MARK: Callbacks from libcurl

    /// Returns whether the connection's address fits the URL: `localhost` must be on this machine, however the name was resolved.
    private func isAllowedPeer(_ peer: String) -> Bool {
        guard plan.request.url.isPlainLocalhost, peer != "::1", !peer.hasPrefix("127.") else { return true }
        exceeded = .elsewhere
        return false
    }

    /// Returns whether the request may be sent. libcurl sends a request again when a kept connection closes without a response. The server
    /// may have carried it out, so only a request that is safe to repeat is sent twice (RFC 9110 section 9.2.2).
    private func mayResend() -> Bool {
        sendCount += 1
        let isSafe = plan.request.method == .get && !plan.request.isTokenQuery
        return sendCount == 1 || isSafe || isAnsweringDigest
    }

    /// Whether the request answers a digest challenge (RFC 7616 section 3.3), after which the server has carried nothing out.
    private var isAnsweringDigest: Bool { sendCount == 2 && plan.policy.webServerLogin?.scheme == .digest && lastStatus == 401 }

    /// Returns the number of bytes to send, or that there are none now or no more.
    private func fill(_ space: UnsafeMutableRawBufferPointer) -> Int {
        switch plan.upload?.read(into: space) {
        case .bytes(let count)?: count
        case .later?: Int(CURL_READFUNC_PAUSE)
        case .end?: 0
        case .abort?, nil: Int(CURL_READFUNC_ABORT)
        }
    }

    /// Returns the number of bytes taken, or that the connection must pause. Any other number ends the transfer.
    private func receiveBody(_ piece: UnsafeRawBufferPointer) -> Int {
        guard exceeded == nil else { return 0 }
        guard bodySize + piece.count <= Self.inflationLimit * (ccurl_easy_get_received(easy) + Self.portion) else {
            exceeded = .inflation
            return 0
        }
        if let stream = plan.stream {
            guard stream.receive(piece) else { return Int(CURL_WRITEFUNC_PAUSE) }
        } else if !collectBody(piece) {
            return 0
        }
        bodySize += piece.count
        return piece.count
    }

    private func collectBody(_ piece: UnsafeRawBufferPointer) -> Bool {
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
        if text.isEmpty, let lastStatus {
            guard lastStatus != 101 else {
                exceeded = .protocolSwitch
                return false
            }
            guard lastStatus >= 200 else { return true }
            hasHeader = true
            plan.stream?.begin(status: lastStatus, headers: headers)
        } else if text.starts(with: "HTTP/".utf8) {
            // A status line begins the next response; the previous one was an interim response.
            headers = []
            lastStatus = text.split(separator: UInt8(ascii: " ")).dropFirst().first.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        } else if let colon = text.firstIndex(of: UInt8(ascii: ":")), body.isEmpty {
            let name = String(decoding: text[..<colon], as: UTF8.self)
            var value = text[text.index(after: colon)...]
            while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
            while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
            return receiveField(name, String(decoding: value, as: UTF8.self))
        }
        return true
    }

    private func receiveField(_ name: String, _ value: String) -> Bool {
        if name.asciiLowercased() == "content-length" {
            let known = headers.first { $0.name.asciiLowercased() == "content-length" }?.value
            // The same length twice is one length.
            if known == value { return true }
            let isNumber = !value.isEmpty && value.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard known == nil, isNumber else {
                exceeded = .lengths
                return false
            }
        }
        headers.append((name, value))
        return true
    }
}

import AuthModel
import CLibraries
import OAuth

extension CurlTransfer {
    /// Sets all options of a transfer. Important options are set even if they are libcurl's default.
    func setOptions() throws(AuthFailure) {
        try setTarget()
        try setMethod()
        try setTrust()
        try setLogin()
        try setProxy()
        try setLimits()
        try setBuffers()
    }

    private func setTarget() throws(AuthFailure) {
        let url = plan.request.url
        try set(ccurl_easy_set_string(easy, CURLOPT_URL, url.text))
        try set(ccurl_easy_set_scheme(easy, url.origin.scheme == .https))
        // Send exactly the URL that was checked.
        try set(CURLOPT_PATH_AS_IS, true)
        try set(CURLOPT_DISALLOW_USERNAME_IN_URL, true)
        try set(CURLOPT_FOLLOWLOCATION, false)
        try set(CURLOPT_AUTOREFERER, false)
        try set(ccurl_easy_set_long(easy, CURLOPT_NETRC, 0))
        // The cookie engine stays off as long as no cookie option is set.
        try set(ccurl_easy_set_string(easy, CURLOPT_USERAGENT, plan.userAgent))
        if !plan.isRaw { try set(ccurl_easy_set_string(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate")) }
        // A sign-in makes few requests, one after the other, so HTTP/2 would not be faster. HTTP/1.1 leaves one way to count header lines.
        try set(ccurl_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)))
        try set(CURLOPT_HTTP09_ALLOWED, false)
        try set(CURLOPT_NOSIGNAL, true)
        try set(ccurl_easy_set_close_on_exec(easy))
        if plan.tunnel != nil {
            try set(CURLOPT_CONNECT_ONLY, true)
            try set(CURLOPT_FRESH_CONNECT, true)
        }
    }

    private func setMethod() throws(AuthFailure) {
        let method = plan.request.method
        if let upload = plan.upload {
            try set(CURLOPT_UPLOAD, true)
            if let size = upload.size { try set(ccurl_easy_set_offset(easy, CURLOPT_INFILESIZE_LARGE, size)) }
            try set(ccurl_easy_set_string(easy, CURLOPT_CUSTOMREQUEST, method.rawValue))
        } else if method == .head {
            try set(CURLOPT_NOBODY, true)
        } else if sendsContent {
            try set(CURLOPT_POST, true)
            if method != .post { try set(ccurl_easy_set_string(easy, CURLOPT_CUSTOMREQUEST, method.rawValue)) }
        } else {
            try set(CURLOPT_HTTPGET, true)
            if method != .get { try set(ccurl_easy_set_string(easy, CURLOPT_CUSTOMREQUEST, method.rawValue)) }
        }
    }

    private func setTrust() throws(AuthFailure) {
        try set(CURLOPT_SSL_VERIFYPEER, !plan.isCertificateProbe)
        try set(ccurl_easy_set_long(easy, CURLOPT_SSL_VERIFYHOST, plan.isCertificateProbe ? 0 : 2))
        if plan.isCertificateProbe {
            // Accepts any certificate and sends nothing: the connection ends when the handshake has shown the certificate.
            try set(CURLOPT_CONNECT_ONLY, true)
            try set(CURLOPT_CERTINFO, true)
        }
        try set(ccurl_easy_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)))
        if let bundle = plan.roots.bundle {
            let result = bundle.withUnsafeBytes { bytes in
                bytes.baseAddress.map { ccurl_easy_set_blob(easy, CURLOPT_CAINFO_BLOB, $0, bytes.count) } ?? CURLE_SSL_CACERT_BADFILE
            }
            try set(result)
        } else if let file = plan.roots.file {
            try set(ccurl_easy_set_string(easy, CURLOPT_CAINFO, file))
        }
        if let directory = plan.roots.directory {
            try set(ccurl_easy_set_string(easy, CURLOPT_CAPATH, directory))
        }
        if let own = plan.policy.clientCertificate {
            try set(ccurl_easy_set_string(easy, CURLOPT_SSLCERT, own.certificateFile))
            try set(ccurl_easy_set_string(easy, CURLOPT_SSLKEY, own.keyFile ?? own.certificateFile))
            // Without a password, OpenSSL would prompt on the terminal for an encrypted key.
            try set(ccurl_easy_set_string(easy, CURLOPT_KEYPASSWD, ""))
        }
    }

    private func setLogin() throws(AuthFailure) {
        guard let login = plan.policy.webServerLogin else { return }
        let scheme = login.scheme == .basic ? ccurl_basic_authentication() : ccurl_digest_authentication()
        try set(ccurl_easy_set_long(easy, CURLOPT_HTTPAUTH, scheme))
        try set(ccurl_easy_set_string(easy, CURLOPT_USERNAME, login.username))
        try set(ccurl_easy_set_string(easy, CURLOPT_PASSWORD, login.password.reveal()))
    }

    /// Turns the proxy off for this machine, and sets how to authenticate to a proxy. libcurl reads the proxy variables itself.
    private func setProxy() throws(AuthFailure) {
        let origin = plan.request.url.origin
        if origin.isThisMachine {
            try set(ccurl_easy_set_string(easy, CURLOPT_PROXY, ""))
            try set(ccurl_easy_set_string(easy, CURLOPT_NOPROXY, "*"))
        }
        try set(ccurl_easy_set_long(easy, CURLOPT_PROXYAUTH, ccurl_any_authentication()))
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
    }

    private func setLimits() throws(AuthFailure) {
        let milliseconds = Int(clamping: max(1, min(plan.policy.deadline.wholeMilliseconds, Int64(Int32.max))))
        try set(ccurl_easy_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds))
        if plan.stream == nil {
            try set(ccurl_easy_set_long(easy, CURLOPT_TIMEOUT_MS, milliseconds))
        } else {
            // A stream may be silent for any time; a peer that is gone must still be noticed.
            try set(CURLOPT_TCP_KEEPALIVE, true)
            // Large bodies pass through in fewer and larger pieces. The allocator overwrites all of the buffer after each request.
            try set(ccurl_easy_set_long(easy, CURLOPT_BUFFERSIZE, 128 << 10))
            try set(ccurl_easy_set_long(easy, CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10))
        }
        // Ends a transfer that announces too large a body before its first byte; the receiver counts a body without a length.
        if plan.stream == nil { try set(ccurl_easy_set_offset(easy, CURLOPT_MAXFILESIZE_LARGE, max(1, plan.policy.bodyLimit))) }
        let quick = ccurl_easy_set_quick_exit(easy)
        try set(quick == CURLE_UNKNOWN_OPTION ? CURLE_OK : quick)
    }

    private func set(_ option: CURLoption, _ isOn: Bool) throws(AuthFailure) {
        try set(ccurl_easy_set_long(easy, option, isOn ? 1 : 0))
    }
}

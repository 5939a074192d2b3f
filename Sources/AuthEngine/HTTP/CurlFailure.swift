import AuthModel
import CCurl
import Glibc
import OAuth
import System

/// Translates a libcurl error into a failure with a message and a hint.
struct CurlFailure {
    var code: CURLcode
    var plan: CurlTransfer.Plan
    var exceeded: CurlTransfer.Limit?
    /// `errno` of the failed connection; 0 if there is none.
    var systemError: Int32
    /// OpenSSL's X509_V_ERR number; 0 if the certificate chain is valid.
    var verification: Int
    /// The proxy's response status to CONNECT; 0 if no proxy was used.
    var proxyStatus: Int
    /// libcurl's error message. It may quote the server, so only its letters and digits are shown, and only if nothing else explains the
    /// failure.
    var errorText: String

    /// Whether the first byte of a response arrived.
    var hasAnswer = false

    static let cancelled = AuthFailure(.cancelled, "the request was cancelled")
    static let noMemory = AuthFailure(.unavailable(retryAfter: nil), "no memory for a network request", hint: "try again")

    private var host: String { plan.request.url.origin.authority }

    var failure: AuthFailure {
        var failure = reason
        guard failure.isTransient else { return failure }
        failure.retryPolicy = hasAnswer ? .later : exceeded == nil ? retryPolicy : .none
        return failure
    }

    /// Whether the request may be repeated. A server that is silent until the deadline may still act.
    private var retryPolicy: AuthFailure.RetryPolicy {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR: .freely
        // CURLE_ABORTED_BY_CALLBACK: libcurl was about to send the request again, because a kept connection closed without a response.
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_ABORTED_BY_CALLBACK: .once
        default: .none
        }
    }

    private var reason: AuthFailure {
        switch exceeded {
        case .body: return tooLarge
        case .headers:
            return unavailable("\(host) sent too many header lines", "check the address")
        case .elsewhere:
            return AuthFailure(
                .security, "\(host) does not resolve to this machine",
                hint: "nothing was sent; see localhost in /etc/hosts, or use 127.0.0.1")
        case nil: break
        }
        switch code {
        case CURLE_FILESIZE_EXCEEDED: return tooLarge
        case CURLE_COULDNT_RESOLVE_HOST:
            return unavailable("cannot find \(host)", "check the name, and that this machine is online")
        case CURLE_COULDNT_RESOLVE_PROXY:
            return unavailable("cannot find the proxy for \(host)", "check https_proxy and no_proxy")
        case CURLE_COULDNT_CONNECT:
            return unavailable(
                "cannot connect to \(host)\(systemReason)", "check that the service is running, and check the network and the proxy")
        case CURLE_OPERATION_TIMEDOUT:
            return unavailable("\(host) did not answer within \(seconds)", "try again, or check the network and the proxy")
        case CURLE_PEER_FAILED_VERIFICATION: return untrusted
        case CURLE_SSL_CACERT_BADFILE:
            return AuthFailure(
                .configuration, "the root certificates for \(host) cannot be used",
                hint: "check ca_file and SSL_CERT_FILE: they must contain PEM certificates")
        case CURLE_SSL_CONNECT_ERROR: return handshake
        case CURLE_SSL_CERTPROBLEM where plan.policy.clientCertificate != nil:
            return AuthFailure(
                .configuration, "the client certificate \(plan.policy.clientCertificate?.certificateFile ?? "") and its key cannot be used",
                hint: "check client_certificate_file and client_key_file: the key must belong to the first certificate in the file")
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            return AuthFailure(
                .security, "cannot open a TLS connection to \(host)\(quoted)",
                hint: "nothing was sent; contact the service's administrator")
        case CURLE_BAD_CONTENT_ENCODING:
            return unavailable(
                "cannot decompress the response from \(host)", "try again; if this repeats, contact the service's administrator")
        case CURLE_RECV_ERROR where proxyStatus >= 300, CURLE_PROXY where proxyStatus >= 300:
            return unavailable("the proxy for \(host) answered \(proxyStatus)", "check https_proxy and no_proxy")
        // In TLS 1.3 the server rejects the client's certificate after the handshake.
        case CURLE_RECV_ERROR where isAlert, CURLE_SEND_ERROR where isAlert: return handshake
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_ABORTED_BY_CALLBACK:
            return unavailable("\(host) closed the connection before the response was complete", "try again")
        case CURLE_OUT_OF_MEMORY: return Self.noMemory
        default:
            return unavailable(
                "\(host) sent an invalid response\(quoted)", "try again; if this repeats, contact the service's administrator")
        }
    }

    private func unavailable(_ summary: String, _ hint: String) -> AuthFailure {
        AuthFailure(.unavailable(retryAfter: nil), summary, hint: hint)
    }

    private var tooLarge: AuthFailure {
        unavailable("the response from \(host) is larger than \(size)", "check the address")
    }

    /// The failure for an OpenSSL error number of x509_vfy.h.
    private var untrusted: AuthFailure {
        let caHint =
            "an untrusted certificate is refused; if it comes from your organisation's own authority, set ca_file to its root certificate"
        return switch verification {
        // If the chain is valid and libcurl's own check of the names fails, the number is 0 or 1.
        case 0, 1, 62, 64: untrusted("the certificate of \(host) is for another host name", "nothing was sent; check the address")
        case 9: untrusted("the certificate of \(host) is not valid yet", "nothing was sent; check this machine's clock")
        case 10:
            untrusted(
                "the certificate of \(host) has expired",
                "nothing was sent; check this machine's clock, or contact the service's administrator")
        case 18: untrusted("the certificate of \(host) is self-signed", caHint)
        case 2, 19, 20, 21, 27: untrusted("the certificate of \(host) is from an unknown authority", caHint)
        case 23: untrusted("the certificate of \(host) was revoked", "nothing was sent; contact the service's administrator")
        default: untrusted("the certificate of \(host) is not trusted (verification error \(verification))", caHint)
        }
    }

    private func untrusted(_ summary: String, _ hint: String) -> AuthFailure {
        AuthFailure(.security, summary, hint: hint)
    }

    private var isAlert: Bool { errorText.contains("alert") }

    /// A handshake that was cut off is a network failure; one that was answered with an alert is a trust failure.
    private var handshake: AuthFailure {
        if isAlert, plan.policy.clientCertificate == nil, ["certificate required", "handshake failure"].contains(where: errorText.contains)
        {
            return AuthFailure(
                .configuration, "\(host) requires a client certificate\(quoted)",
                hint: "if you have one, set client_certificate_file and client_key_file for the provider")
        }
        if isAlert, plan.policy.clientCertificate != nil {
            return AuthFailure(
                .configuration, "\(host) rejected the client certificate\(quoted)",
                hint: "check client_certificate_file and client_key_file, and that the certificate is registered there")
        }
        if errorText.contains("SSL routines"), !errorText.contains("unexpected eof") {
            return AuthFailure(
                .security, "cannot open a TLS connection to \(host)\(quoted)", hint: "nothing was sent; TLS 1.2 or newer is required")
        }
        return unavailable("\(host) closed the connection during the TLS handshake", "try again, or check the network and the proxy")
    }

    private var systemReason: String {
        systemError == 0 ? "" : ": " + SystemError(number: systemError).text
    }

    private var quoted: String {
        let last = errorText.split(separator: ":").last ?? ""
        let text = last.unicodeScalars.filter { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == " ") }
        let words = String(String.UnicodeScalarView(text)).split(separator: " ").joined(separator: " ").prefix(80)
        return words.isEmpty ? "" : " (\(words.lowercased()))"
    }

    private var seconds: String {
        let milliseconds = plan.policy.deadline.wholeMilliseconds
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }

    private var size: String {
        let limit = plan.policy.bodyLimit
        return limit % (1 << 20) == 0 ? "\(limit >> 20) MB" : "\(limit) bytes"
    }
}

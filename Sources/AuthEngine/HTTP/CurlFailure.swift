import AuthModel
import CLibraries
import Glibc
import OAuth
import OperatingSystem

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

    static let cancelled = AuthFailure(.cancelled, "http.request_cancelled")
    static let noMemory = AuthFailure(.unavailable(retryAfter: nil), "http.no_memory", hint: "hint.try_again")

    private var host: String { plan.request.url.origin.authority }

    var failure: AuthFailure {
        var failure = reason
        guard failure.isTransient else { return failure }
        failure.retryPolicy = hasAnswer ? .later : exceeded == nil ? retryPolicy : .none
        return failure
    }

    /// The conditions for repeating the request. A server that is silent until the deadline may still act.
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
        case .inflation: return unavailable(UserMessage("http.grows_too_much", ["host": host]), "hint.try_again_or_contact_service")
        case .headers:
            return unavailable(UserMessage("http.too_many_headers", ["host": host]), "hint.check_address")
        case .lengths:
            return unavailable(UserMessage("http.two_lengths", ["host": host]), "hint.try_again_or_contact_service")
        case .protocolSwitch:
            return unavailable(UserMessage("http.unrequested_protocol", ["host": host]), "hint.try_again_or_contact_service")
        case .elsewhere:
            return AuthFailure(
                .security, UserMessage("network.not_this_machine", ["host": host]),
                hint: "hint.nothing_sent_check_localhost")
        case nil: break
        }
        switch code {
        case CURLE_FILESIZE_EXCEEDED: return tooLarge
        case CURLE_COULDNT_RESOLVE_HOST:
            return unavailable(UserMessage("network.host_not_found", ["host": host]), "hint.check_name_and_network")
        case CURLE_COULDNT_RESOLVE_PROXY:
            return unavailable(UserMessage("network.proxy_not_found", ["host": host]), "hint.check_proxy_variables")
        case CURLE_COULDNT_CONNECT:
            return unavailable(
                UserMessage("network.cannot_connect", ["host": host, "reason": systemReason]), "hint.check_service_and_network")
        case CURLE_OPERATION_TIMEDOUT:
            return unavailable(UserMessage("network.no_answer", ["host": host, "time": seconds]), "hint.try_again_or_check_network")
        case CURLE_PEER_FAILED_VERIFICATION: return untrusted
        case CURLE_SSL_CACERT_BADFILE:
            return AuthFailure(
                .configuration, UserMessage("tls.root_certificates_unusable", ["host": host]),
                hint: "hint.check_root_certificates")
        case CURLE_SSL_CONNECT_ERROR: return handshake
        case CURLE_SSL_CERTPROBLEM where plan.policy.clientCertificate != nil:
            return AuthFailure(
                .configuration,
                UserMessage("tls.client_certificate_unusable", ["path": plan.policy.clientCertificate?.certificateFile ?? ""]),
                hint: "hint.check_client_certificate_files")
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            return AuthFailure(
                .security, UserMessage("tls.cannot_open_connection", ["host": host, "detail": quoted]),
                hint: "hint.nothing_sent_contact_service")
        case CURLE_BAD_CONTENT_ENCODING:
            return unavailable(
                UserMessage("http.cannot_decompress", ["host": host]), "hint.try_again_or_contact_service")
        case CURLE_RECV_ERROR where proxyStatus >= 300, CURLE_PROXY where proxyStatus >= 300:
            return unavailable(UserMessage("network.proxy_refused", ["host": host, "status": proxyStatus]), "hint.check_proxy_variables")
        // In TLS 1.3 the server rejects the client's certificate after the handshake.
        case CURLE_RECV_ERROR where isAlert, CURLE_SEND_ERROR where isAlert: return handshake
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_ABORTED_BY_CALLBACK:
            return unavailable(UserMessage("network.connection_closed", ["host": host]), "hint.try_again")
        case CURLE_OUT_OF_MEMORY: return Self.noMemory
        default:
            return unavailable(
                UserMessage("http.invalid_response", ["host": host, "detail": quoted]), "hint.try_again_or_contact_service")
        }
    }

    private func unavailable(_ message: UserMessage, _ hint: UserMessage) -> AuthFailure {
        AuthFailure(.unavailable(retryAfter: nil), message, hint: hint)
    }

    private var tooLarge: AuthFailure {
        unavailable(UserMessage("http.response_too_large", ["host": host, "size": size]), "hint.check_address")
    }

    /// The failure for an OpenSSL error number of x509_vfy.h.
    private var untrusted: AuthFailure {
        let caHint: UserMessage =
            "hint.untrusted_certificate_ca_file"
        return switch verification {
        // If the chain is valid and libcurl's own check of the names fails, the number is 0 or 1.
        case 0, 1, 62, 64: untrusted(UserMessage("tls.wrong_host_name", ["host": host]), "hint.nothing_sent_check_address")
        case 9: untrusted(UserMessage("tls.not_valid_yet", ["host": host]), "hint.nothing_sent_check_clock")
        case 10:
            untrusted(
                UserMessage("tls.expired", ["host": host]),
                "hint.nothing_sent_check_clock_or_contact")
        case 18: untrusted(UserMessage("tls.self_signed", ["host": host]), caHint)
        case 2, 19, 20, 21, 27: untrusted(UserMessage("tls.unknown_authority", ["host": host]), caHint)
        case 23: untrusted(UserMessage("tls.revoked", ["host": host]), "hint.nothing_sent_contact_service")
        default: untrusted(UserMessage("tls.not_trusted", ["host": host, "code": verification]), caHint)
        }
    }

    private func untrusted(_ message: UserMessage, _ hint: UserMessage) -> AuthFailure {
        AuthFailure(.security, message, hint: hint)
    }

    private var isAlert: Bool { errorText.contains("alert") }

    /// A handshake that was cut off is a network failure; one that was answered with an alert is a trust failure.
    private var handshake: AuthFailure {
        if isAlert, plan.policy.clientCertificate == nil, ["certificate required", "handshake failure"].contains(where: errorText.contains)
        {
            return AuthFailure(
                .configuration, UserMessage("tls.client_certificate_required", ["host": host, "detail": quoted]),
                hint: "hint.set_client_certificate")
        }
        if isAlert, plan.policy.clientCertificate != nil {
            return AuthFailure(
                .configuration, UserMessage("tls.client_certificate_rejected", ["host": host, "detail": quoted]),
                hint: "hint.check_client_certificate_registered")
        }
        if errorText.contains("SSL routines"), !errorText.contains("unexpected eof") {
            return AuthFailure(
                .security, UserMessage("tls.cannot_open_connection", ["host": host, "detail": quoted]),
                hint: "hint.nothing_sent_tls_version")
        }
        return unavailable(UserMessage("tls.closed_during_handshake", ["host": host]), "hint.try_again_or_check_network")
    }

    private var systemReason: String {
        systemError == 0 ? "" : ": " + SystemError(number: systemError).text
    }

    private var quoted: String {
        let last = errorText.split(separator: ":").last ?? ""
        let text = last.unicodeScalars.filter { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == " ") }
        let words = String(String.UnicodeScalarView(text)).split(separator: " ").joined(separator: " ").prefix(80)
        return words.isEmpty ? "" : " (\(words.asciiLowercased()))"
    }

    private var seconds: UserMessage {
        let milliseconds = plan.policy.deadline.wholeMilliseconds
        return milliseconds % 1000 == 0
            ? UserMessage("phrase.seconds", ["count": milliseconds / 1000]) : UserMessage("phrase.milliseconds", ["count": milliseconds])
    }

    private var size: UserMessage {
        let limit = plan.policy.bodyLimit
        return limit % (1 << 20) == 0
            ? UserMessage("phrase.megabytes", ["count": limit >> 20]) : UserMessage("phrase.bytes", ["count": limit])
    }
}

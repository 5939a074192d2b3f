package import AuthModel
import Localization
import TerminalUI

/// The meanings of claims, and the display of their values (OIDC Core sections 2 and 5.1, RFC 7519, RFC 9068, the IANA registry of JWT
/// claims).
package enum ClaimWords {
    /// Returns the meaning of a claim; nil for an unregistered one.
    package static func name(_ claim: String) -> String? {
        switch claim {
        case "iss": SessionWords.issuer
        case "sub": SessionWords.subject
        case "aud": tr("audience")
        case "azp": tr("authorised party")
        case "exp": tr("expires")
        case "nbf": tr("valid from")
        case "iat": tr("issued")
        case "jti": tr("token ID")
        case "auth_time": tr("authenticated")
        case "nonce": tr("bound to this sign-in")
        case "acr": tr("assurance level")
        case "amr": tr("authentication methods")
        case "at_hash": tr("bound to the access token")
        case "c_hash": tr("bound to the code")
        case "s_hash": tr("bound to the state")
        case "sid": tr("browser session")
        case "client_id": SessionWords.client
        case "scope": SessionWords.scopes
        case "cnf": tr("bound to a key")
        case "name": tr("name")
        case "given_name": tr("given name")
        case "family_name": tr("family name")
        case "middle_name": tr("middle name")
        case "nickname": tr("nickname")
        case "preferred_username": tr("user name")
        case "profile": tr("profile page")
        case "picture": tr("picture")
        case "website": tr("website")
        case "email": tr("e-mail")
        case "email_verified": tr("e-mail verified")
        case "gender": tr("gender")
        case "birthdate": tr("date of birth")
        case "zoneinfo": tr("time zone")
        case "locale": tr("language")
        case "phone_number": tr("phone")
        case "phone_number_verified": tr("phone verified")
        case "address": tr("address")
        case "updated_at": tr("profile updated")
        case "groups": tr("groups")
        case "roles": tr("roles")
        case "entitlements": tr("entitlements")
        case "tid": tr("tenant")
        case "oid": tr("object ID")
        case "hd": tr("organisation")
        default: nil
        }
    }

    /// Returns the meaning of a header parameter (RFC 7515 section 4.1, RFC 9068 section 2.1); nil for an unregistered one.
    package static func headerName(_ parameter: String) -> String? {
        switch parameter {
        case "alg": tr("algorithm")
        case "kid": tr("key")
        case "typ": tr("token type")
        case "cty": tr("content type")
        case "crit": tr("critical")
        case "jku": tr("key set URL")
        case "jwk": tr("embedded key")
        case "x5t", "x5t#S256": tr("certificate fingerprint")
        case "x5c": tr("certificates")
        case "x5u": tr("certificate URL")
        case "b64": tr("payload in base64")
        default: nil
        }
    }

    /// Returns a claim's value for display.
    ///
    /// Values other than plain text are JSON, whose strings escape everything but printable ASCII.
    package static func value(_ value: JSONValue, of claim: String, now: Timestamp) -> String {
        if moments.contains(claim), let seconds = value.double, seconds >= 0 {
            return Words.timeInWords(Timestamp(seconds: seconds), now: now)
        }
        if ownMoments.contains(claim), let milliseconds = value.double, milliseconds > 0, milliseconds < 1e14 {
            return Words.timeInWords(Timestamp(milliseconds: Int64(milliseconds)), now: now)
        }
        switch value {
        case .string(let text): return text
        case .bool(let flag): return flag ? tr("yes") : tr("no")
        case .number(let text): return text
        case .null: return tr("nothing")
        case .array(let elements):
            let texts = elements.compactMap(\.string)
            return texts.count == elements.count && !texts.isEmpty ? texts.joined(separator: ", ") : value.text
        case .object: return value.text
        }
    }

    /// Returns a claim's value as other programs expect it: text without quotes, anything else as JSON.
    package static func plainValue(_ value: JSONValue) -> String { value.string.map { SafeText.line($0) } ?? value.text }

    /// Times in milliseconds since 1970, which some providers use in user claims.
    private static let ownMoments: Set<String> = ["created", "modified", "lastLogin"]
    /// Times in seconds since 1970.
    private static let moments: Set<String> = ["exp", "iat", "nbf", "auth_time", "updated_at"]
}

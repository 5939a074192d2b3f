/// The tokens of HTTP, such as the names of header fields (RFC 9110 section 5.6.2).
extension UInt8 {
    /// Whether the byte is a `tchar`.
    package var isHTTPTokenByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}

extension String {
    /// Whether the text is a token.
    package var isHTTPToken: Bool { !isEmpty && utf8.allSatisfy(\.isHTTPTokenByte) }
}

import AuthModel

extension FuzzedReader {
    /// An accepted URL keeps its text byte for byte, its parts make up the whole text, and its host contains only characters of a host.
    static let webURL = FuzzedReader(
        "url",
        words: [
            "http://", "https://", "HTTPS://", "//", "/", "\\", "@", ":", "?", "#", "%2e", "%2F", "%00", "..", "[::1]",
            "[::ffff:127.0.0.1]", "[fe80::1%25lo]",
            "127.0.0.1", "localhost", "0x7f.1", ":0", ":443", ":65536", ".", "-", "xn--", "é", "\u{FF0E}", "javascript:", "user:pw@",
        ]
    ) { (input) throws(BrokenProperty) in
        let given = text(input)
        guard let url = WebURL(given) else { return false }
        try BrokenProperty.unless(url.text.utf8.elementsEqual(given.utf8), "keeps another text than it was given")
        try BrokenProperty.unless(
            given.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }, "takes a forbidden byte")
        let origin = url.origin
        try BrokenProperty.unless(
            !origin.host.isEmpty && origin.host.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-._:".utf8.contains($0) },
            "takes a host with a forbidden byte")
        try BrokenProperty.unless((1...65_535).contains(origin.port), "takes a port that is none")
        let tail = url.path + (url.query.map { "?" + $0 } ?? "") + (url.fragment.map { "#" + $0 } ?? "")
        try BrokenProperty.unless(given.hasSuffix(tail), "parts do not make up the whole")
        // Between the scheme and the path there is only the authority, without user information.
        let authority = given.utf8.count - tail.utf8.count - origin.scheme.rawValue.utf8.count - 3
        try BrokenProperty.unless(
            authority > 0 && !given.utf8.dropLast(tail.utf8.count).contains(UInt8(ascii: "@")), "takes user information")
        guard let again = WebURL(origin.description + tail) else { throw BrokenProperty("does not take its own origin and parts") }
        try BrokenProperty.unless(
            again.origin == origin && again.path == url.path && again.query == url.query && again.fragment == url.fragment,
            "reads other parts in its own writing")
        if url.isProtected, origin.scheme == .http {
            try BrokenProperty.unless(origin.host == "::1" || origin.host.hasPrefix("127."), "protects what is no loopback literal")
        }
        if let longer = url.appending(query: [("state", "a b&c=d#e")]) {
            try BrokenProperty.unless(
                longer.origin == origin && longer.path == url.path && longer.fragment == nil, "loses its place when a query is appended")
            try BrokenProperty.unless(longer.query?.hasSuffix("state=a%20b%26c%3Dd%23e") == true, "does not append what it was told")
        }
        if let issuer = Issuer(given) {
            try BrokenProperty.unless(issuer.text.utf8.elementsEqual(given.utf8) && url.query == nil, "takes an issuer that is none")
        }
        return true
    }

    /// Decoded form data is the same after encoding and decoding again, and any text can be encoded.
    static let form = FuzzedReader(
        "form", words: ["&", "=", "+", "%20", "%2B", "%26", "%3D", "%00", "%C3%A9", "%FF", "%", "&&", "==", "state=", "code="]
    ) { (input) throws(BrokenProperty) in
        let given = text(input)
        try BrokenProperty.unless(
            FormEncoding.unescape(FormEncoding.escape(given)).map { Array($0.utf8) } == Array(given.utf8), "does not read what it escaped")
        guard let pairs = FormEncoding.decode(given) else { return false }
        let written = FormEncoding.encode(pairs.map { ($0.name, $0.value) })
        try BrokenProperty.unless(written.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "writes what has no place in a query")
        let again = FormEncoding.decode(written)?.map { Array($0.name.utf8) + [0] + Array($0.value.utf8) }
        try BrokenProperty.unless(
            again == pairs.map { Array($0.name.utf8) + [0] + Array($0.value.utf8) }, "reads other pairs than it wrote")
        return true
    }
}

public import AuthModel

extension WebResponse {
    /// How long the server asks to wait (RFC 9110 section 10.2.3), from a number of seconds or a date; at most a day.
    ///
    /// - Parameter now: what a date is compared with.
    public func retryAfter(now: Timestamp) -> Duration? {
        guard let text = header("Retry-After")?.trimmingBlanks() else { return nil }
        let limit: Int64 = 86_400
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(min(Int64(text) ?? limit, limit))
        }
        guard let date = HTTPDate.read(text) else { return nil }
        return .seconds(min(max((date - now).wholeSeconds, 0), limit))
    }
}

/// Dates of HTTP (RFC 9110 section 5.6.7) in the one form that may be sent: `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The moment; `nil` for any other form.
    static func read(_ text: some StringProtocol) -> Timestamp? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].utf8.count == 4, parts[0].last == ",", parts[5] == "GMT",
            parts[1].utf8.count == 2, parts[3].utf8.count == 4, parts[4].utf8.count == 8,
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return Timestamp("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
    }
}

extension StringProtocol {
    /// Without the blanks and tabs at both ends.
    func trimmingBlanks() -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(String(drop(while: isBlank).reversed()).drop(while: isBlank).reversed())
    }
}

public import AuthModel

extension WebResponse {
    /// Returns how long the server asks to wait (RFC 9110 section 10.2.3), from a number of seconds or a date; at most a day.
    ///
    /// - Parameter now: the time to compare a date with.
    public func retryAfter(now: Timestamp) -> Duration? {
        guard let text = header("Retry-After")?.trimmingWhitespace() else { return nil }
        let limit: Int64 = 86_400
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(min(Int64(text) ?? limit, limit))
        }
        guard let date = Timestamp(httpDate: text, now: now) else { return nil }
        return .seconds(min(max((date - now).wholeSeconds, 0), limit))
    }
}

extension StringProtocol {
    /// Returns the text without spaces and tabs at both ends.
    func trimmingWhitespace() -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(String(drop(while: isBlank).reversed()).drop(while: isBlank).reversed())
    }
}

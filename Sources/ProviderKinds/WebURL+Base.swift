internal import AuthEngine
internal import AuthModel

extension WebURL {
    /// The URL without its final slash, so that a path can be appended; `nil` if it has a query.
    var asBase: WebURL? {
        guard query == nil else { return nil }
        return text.last == "/" ? WebURL(String(text.dropLast())) : self
    }
}

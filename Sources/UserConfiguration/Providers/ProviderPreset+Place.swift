package import AuthModel
package import TOML

/// A user's place at a service: in the preset's texts, and in an address of the service.
extension ProviderPreset {
    /// Returns the provider's table with the user's place filled in. Throws `.usage` if the place is missing, or makes no valid address.
    package func provider(at place: String?) throws(AuthFailure) -> TOMLValue {
        guard let own = self.place else {
            guard place == nil else {
                throw AuthFailure(.usage, UserMessage("provider.preset_fixed_address", ["preset": title]), hint: "hint.remove_at")
            }
            return provider
        }
        guard let place = place ?? own.fallback, !place.isEmpty else {
            throw AuthFailure(
                .usage, UserMessage("provider.preset_needs", ["preset": title, "value": own.what]),
                hint: UserMessage("hint.write_at", ["example": own.example]))
        }
        let parts = PlaceParts(place)
        guard isValid(provider, with: parts) else {
            throw AuthFailure(
                .usage, UserMessage("provider.preset_not_an_address", ["value": place, "expected": own.what]),
                hint: UserMessage("hint.write_at", ["example": own.example]))
        }
        return provider.mapTexts(parts.filled)
    }

    /// Whether each text with a place in it becomes a valid one.
    private func isValid(_ value: TOMLValue, with parts: PlaceParts) -> Bool {
        switch value {
        case .string(let template):
            guard template.contains("{place") else { return true }
            guard !template.contains("{place.last}") || !parts.last.isEmpty else { return false }
            let text = parts.filled(template)
            guard text.contains("://") else { return true }
            return WebURL(text).map { $0.isRequestable && $0.query == nil && $0.fragment == nil } == true
        case .array(let elements): return elements.allSatisfy { isValid($0, with: parts) }
        case .table(let members): return members.allSatisfy { isValid($0.value, with: parts) }
        case .integer, .float, .boolean, .moment: return true
        }
    }

    /// Returns a text of the preset with a place filled in; unchanged if the preset has no place.
    package func filled(_ text: String, with place: String?) -> String {
        guard self.place != nil, let place = place ?? self.place?.fallback else { return text }
        return PlaceParts(place).filled(text)
    }

    /// Whether an address is one where this service signs users in, and the place in it; `nil` if it belongs to something else, such as a
    /// protected resource on the service's host.
    package func match(_ address: WebURL) -> (place: String?, suffix: String)? {
        let host = address.origin.host
        guard let suffix = hosts.filter({ host == $0 || host.hasSuffix("." + $0) }).max(by: { $0.count < $1.count }) else { return nil }
        let issuer = provider["issuer"]?.string.map { [$0] }
        let templates = issuer ?? (provider.members ?? []).compactMap(\.value.string).filter { $0.hasPrefix("https://") }
        for template in templates + [provider["resource"]?.string].compactMap(\.self) {
            if let place = Self.place(in: address, by: template) { return (place, suffix) }
        }
        // The bare host of a service stands for the service.
        guard address.path.isEmpty || address.path == "/", address.query == nil else { return nil }
        let isHost = templates.contains { WebURL(PlaceParts("x").filled($0))?.origin == address.origin }
        return isHost ? (nil, suffix) : nil
    }

    /// Returns the place in an address, for a template such as `https://{place}/`; the whole address without its scheme for one with the
    /// parts of a place; `nil` if the address has another form.
    private static func place(in address: WebURL, by template: String) -> String?? {
        let text = PlaceParts(address.text).whole
        guard template.contains("{place") else { return PlaceParts(template).whole == text ? .some(nil) : nil }
        let pieces = PlaceParts(template).whole.split(separator: "{place}", omittingEmptySubsequences: false)
        guard pieces.count == 2 else { return template.contains("{place.") ? .some(text) : nil }
        guard text.hasPrefix(pieces[0]), text.hasSuffix(pieces[1]), text.count > pieces[0].count + pieces[1].count else { return nil }
        let place = String(text.dropFirst(pieces[0].count).dropLast(pieces[1].count))
        return .some(pieces[0].isEmpty && address.origin.scheme == .http ? "http://" + place : place)
    }
}

/// A place as the user gave it, without a scheme and without slashes at its end, and its parts.
private struct PlaceParts {
    let whole: String
    /// The part before the last slash.
    let parent: String
    /// The part after the last slash; empty if there is none.
    let last: String
    /// Whether the place is on plain http, which is allowed for this machine only, as everywhere.
    private let isPlain: Bool

    init(_ text: String) {
        var text = text
        isPlain = text.hasPrefix("http://")
        for scheme in ["https://", "http://"] where text.hasPrefix(scheme) { text.removeFirst(scheme.count) }
        while text.hasSuffix("/") { text.removeLast() }
        whole = text
        let slash = text.lastIndex(of: "/")
        parent = slash.map { String(text[..<$0]) } ?? text
        last = slash.map { String(text[text.index(after: $0)...]) } ?? ""
    }

    func filled(_ template: String) -> String {
        guard template.contains("{place") else { return template }
        let text = template.replacing("{place.parent}", with: parent).replacing("{place.last}", with: last)
            .replacing("{place}", with: whole)
        return isPlain && text.hasPrefix("https://") ? "http" + text.dropFirst("https".count) : text
    }
}

extension TOMLValue {
    /// Returns this value with its texts changed, and those in it.
    fileprivate func mapTexts(_ change: (String) -> String) -> TOMLValue {
        switch self {
        case .string(let text): .string(change(text))
        case .array(let elements): .array(elements.map { $0.mapTexts(change) })
        case .table(let members): .table(members.map { Member($0.name, $0.value.mapTexts(change)) })
        case .integer, .float, .boolean, .moment: self
        }
    }
}

import AuthModel
import TerminalUI

/// A session's name, in so many columns.
///
/// What tells the sessions of one provider apart is the account, so a provider's long name gives way first; what is too long even then
/// is cut at its end by whoever draws it.
struct NameInColumns: Equatable, Sendable {
    let provider: String
    /// With the slash before it; empty where the name has no account.
    let account: String

    /// The columns that are left of a provider's name.
    private static let leastOfProvider = 8

    init(_ name: SessionName, columns: Int, glyphs: GlyphSet) {
        account = name.account.map { "/" + $0 } ?? ""
        let room = max(Self.leastOfProvider, columns - SafeText.width(of: account))
        let whole = name.provider.text
        provider = account.isEmpty || whole.utf8.count <= room ? whole : whole.prefix(room - 1) + glyphs.ellipsis
    }

    /// The columns that all of a name takes.
    static func width(of name: SessionName) -> Int {
        name.provider.text.utf8.count + (name.account.map { 1 + SafeText.width(of: $0) } ?? 0)
    }
}

package import AuthModel
package import TerminalUI

/// A session's name, fitted to a number of columns.
///
/// The account distinguishes the sessions of one provider, so a long provider name is shortened first. A name that is still too long is cut
/// at its end when it is drawn.
package struct NameInColumns: Equatable, Sendable {
    package let provider: String
    /// The account with its slash; empty if the name has no account.
    package let account: String

    /// The minimum number of columns for the provider's name.
    private static let minimumProviderColumns = 8

    package init(_ name: SessionName, columns: Int, glyphs: GlyphSet) {
        account = name.account.map { "/" + $0 } ?? ""
        let room = max(Self.minimumProviderColumns, columns - SafeText.width(of: account))
        let whole = name.provider.text
        provider = account.isEmpty || whole.utf8.count <= room ? whole : whole.prefix(room - 1) + glyphs.ellipsis
    }

    /// Returns the number of columns for the whole name.
    package static func width(of name: SessionName) -> Int {
        name.provider.text.utf8.count + (name.account.map { 1 + SafeText.width(of: $0) } ?? 0)
    }
}

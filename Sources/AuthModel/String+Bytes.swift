extension StringProtocol {
    /// Returns whether both texts have the same bytes. Identifiers are compared this way (RFC 7519 section 2, RFC 3986 section 6.2.1),
    /// because Swift's `==` treats canonically equivalent texts as equal, such as the Kelvin sign and K.
    package func hasSameBytes(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}

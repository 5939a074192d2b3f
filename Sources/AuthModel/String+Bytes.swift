extension StringProtocol {
    /// Whether both are the same bytes. What identifies somebody or something is compared so (RFC 7519 section 2, RFC 3986 section 6.2.1):
    /// Swift's `==` takes canonically equivalent texts for one, such as the Kelvin sign for a K.
    package func hasSameBytes(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}

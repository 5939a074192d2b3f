/// The keys of a provider that do the same as other ones, in one table for the reader, for the layers of files and for the locks.
enum AlternativeKeys {
    /// Groups of keys of which a table may have one. One in an upper file replaces the other in a lower file.
    static let groups = [["client_secret_file", "client_secret_command"], ["redirect", "paste_redirect"]]

    /// Keys that have a say in what another one decides: which servers a sign-in uses, and where tokens may be sent.
    private static let influences = [
        "issuer": [
            "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "revocation_endpoint", "end_session_endpoint",
            "device_authorization_endpoint", "discovery", "issuer_pattern",
        ],
        "api_hosts": ["resource", "api_host_from"],
    ]

    /// Returns the other keys of the key's group.
    static func alternatives(to key: String) -> [String] { groups.first { $0.contains(key) }?.filter { $0 != key } ?? [] }

    /// Returns the other keys that a lock of this key covers.
    static func covered(by key: String) -> [String] { alternatives(to: key) + (influences[key] ?? []) }
}

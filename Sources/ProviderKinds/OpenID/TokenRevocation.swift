internal import AuthEngine
internal import OAuth

/// The library's request and validator for RFC 7009, under a name that does not clash with the store's `Revocation`.
typealias TokenRevocation = Revocation

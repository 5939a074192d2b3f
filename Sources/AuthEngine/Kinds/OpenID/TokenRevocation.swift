internal import OAuth

/// The library's pair of request and validator for RFC 7009, under a name that the store's queue does not use.
typealias TokenRevocation = Revocation

import AuthModel
@testable import OAuth

/// An honest device authorization; tests spoil one thing at a time.
enum DeviceBench {
    static let document: JSONValue = [
        "device_code": "the-device-code", "user_code": "WDJB-MJHT", "verification_uri": "https://id.example.org/device",
        "verification_uri_complete": "https://id.example.org/device?user_code=WDJB-MJHT", "expires_in": 300, "interval": 5,
    ]

    static func read(_ changes: [JSONValue.Member]) throws -> DeviceAuthorization { try read(document.replacing(changes)) }

    static func read(_ document: JSONValue) throws -> DeviceAuthorization {
        try DeviceAuthorization(
            World.json(document.text), from: World.metadata(), client: OAuthClient(id: World.clientID), scopes: ["openid"], now: World.now)
    }
}

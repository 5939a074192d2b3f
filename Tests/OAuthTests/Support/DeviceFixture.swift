import AuthModel
@testable import OAuth

/// A valid device authorization; tests change one member at a time.
enum DeviceFixture {
    static let document: JSONValue = [
        "device_code": "the-device-code", "user_code": "WDJB-MJHT", "verification_uri": "https://id.example.org/device",
        "verification_uri_complete": "https://id.example.org/device?user_code=WDJB-MJHT", "expires_in": 300, "interval": 5,
    ]

    static func read(_ changes: [JSONValue.Member]) throws -> DeviceAuthorization { try read(document.replacing(changes)) }

    static func read(_ document: JSONValue) throws -> DeviceAuthorization {
        try DeviceAuthorization(
            Fixture.json(document.text), from: Fixture.metadata(), client: OAuthClient(id: Fixture.clientID), scopes: ["openid"],
            now: Fixture.now)
    }
}

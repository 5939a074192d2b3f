import AuthModel

/// An error in ArcGIS's format: inside a response with status 200.
struct ArcGISError: Error, Equatable {
    var code: Int
    var message: String
    var messageCode: String?
    var details: [String] = []
    /// Set for errors of the OAuth endpoints, which contain both styles.
    var oauth: (code: String, text: String)?

    static func == (left: ArcGISError, right: ArcGISError) -> Bool { left.answer == right.answer }

    static let invalidToken = ArcGISError(code: 498, message: "Invalid token.")
    static let tokenRequired = ArcGISError(
        code: 499, message: "Token Required", messageCode: "GWM_0003", details: ["Token Required"])
    static let forbidden = ArcGISError(
        code: 403, message: "You do not have permissions to access this resource or perform this operation.", messageCode: "GWM_0003")
    static let wrongPassword = ArcGISError(
        code: 400, message: "Unable to generate token.", details: ["Invalid username or password."])

    static func oauth(_ name: String, _ text: String, code: Int = 400) -> ArcGISError {
        ArcGISError(code: code, message: text, oauth: (name, text))
    }

    static func missing(_ what: String) -> ArcGISError {
        ArcGISError(code: 400, message: "\(what) does not exist or is inaccessible.", messageCode: "CONT_0001")
    }

    /// The response, with status 200.
    var answer: SandboxResponse {
        var members: [JSONValue.Member] = [.init("code", .number(code))]
        if let oauth { members += [.init("error", .string(oauth.code)), .init("error_description", .string(oauth.text))] }
        if let messageCode { members.append(.init("messageCode", .string(messageCode))) }
        members += [.init("message", .string(message)), .init("details", .array(details.map(JSONValue.string)))]
        return .json(["error": .object(members)])
    }
}

import AuthModel
import Testing

/// The label and the description of an account.
struct IdentityTests {
    @Test(
        arguments: [
            (["login": "ada", "username": "x", "preferred_username": "y"], "ada"), (["username": "ada", "email": "a@b.example"], "ada"),
            (["preferred_username": "ada", "email": "a@b.example"], "ada"), (["email": "a@b.example", "name": "Ada"], "a@b.example"),
            (["name": "Ada Lovelace"], "Ada-Lovelace"), (["name": ""], "248289761001"), ([:], "248289761001"),
            // An identifier is no name.
            (["username": "2a9d1c1e-1111-4222-8333-944455566677", "email": "a@b.example"], "a@b.example"),
            (["login": "248289761001", "name": "Ada"], "Ada"), (["login": "248289761001"], "248289761001"), (["login": "007"], "007"),
        ] as [([String: String], String)])
    func labelIsTheNameThatTheUserKnows(_ claims: [String: String], _ label: String) {
        let members = claims.map { JSONValue.Member($0.key, .string($0.value)) }
        for identity in [
            Identity(issuer: "i", subject: "248289761001", userInfo: .object(members)),
            Identity(issuer: "i", subject: "248289761001", idTokenClaims: .object(members)),
        ] {
            #expect(identity.defaultLabel == label)
        }
    }

    @Test(
        arguments: [
            (["name": "Ada Lovelace", "email": "ada@example.org"], "ada", "ada (Ada Lovelace, ada@example.org)"),
            (["name": "Ada\n Lovelace"], "ada", "ada (Ada Lovelace)"), (["email": "ada@example.org"], "ada@example.org", "ada@example.org"),
            (["name": "ada", "email": " "], "ada", "ada"), ([:], "ada", "ada"),
            (["name": String(repeating: "x", count: 200)], "ada", "ada (\(String(repeating: "x", count: 80)))"),
        ] as [([String: String], String, String)])
    func descriptionHasTheFullNameAndTheAddressOnce(_ claims: [String: String], _ label: String, _ description: String) {
        let members = claims.map { JSONValue.Member($0.key, .string($0.value)) }
        #expect(Identity(issuer: "i", subject: "s", userInfo: .object(members)).description(of: label) == description)
    }

    @Test(
        arguments: [
            ("id", "7"), ("data.0.id", "ada"), ("data.1.id", nil), ("data.x.id", nil), ("data", nil), ("none", nil), ("empty", nil),
            ("void", nil), ("flag", nil), ("0", "zero"),
        ] as [(String, String?)])
    func pathNamesAMember(_ text: String, _ value: String?) throws {
        let document: JSONValue = ["id": 7, "data": [["id": "ada"]], "empty": "", "void": .null, "flag": true, "0": "zero"]
        #expect(try #require(MemberPath(text)).string(in: document) == value)
    }

    @Test(arguments: ["", ".", "a.", ".a", "a..b", String(repeating: "a.", count: 20) + "a", String(repeating: "a", count: 101)])
    func otherTextsAreNoPaths(_ text: String) {
        #expect(MemberPath(text) == nil)
    }
}

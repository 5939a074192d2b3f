/// The protocol's OpenAPI document, embedded in the program.
enum AgentDescription {
    static var bytes: [UInt8] { PackageResources.openapi_json }
}

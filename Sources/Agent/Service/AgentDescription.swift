/// The protocol's OpenAPI document, compiled in.
enum AgentDescription {
    static var bytes: [UInt8] { PackageResources.openapi_json }
}

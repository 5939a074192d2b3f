internal import AuthEngine
internal import AuthModel
internal import OAuth

/// The requests and answers of ArcGIS resources: JSON, with errors inside answers with status 200.
struct ArcGISDialect: ResourceDialect {
    var urlIdentifiesSession: Bool { true }

    var credentialFields: Set<String> { BearerDialect().credentialFields.union(["x-esri-authorization"]) }

    func prepared(_ request: WebRequest) -> WebRequest {
        guard request.method == .get, FormEncoding.decode(request.url.query ?? "")?.contains(where: { $0.name == "f" }) == false,
            let url = request.url.appending(query: [("f", "json")])
        else { return request }
        // Without `f=json`, an error is an HTML page that a program cannot read.
        var request = request
        request.url = url
        return request
    }

    func authorized(_ request: WebRequest, with issued: IssuedToken) -> WebRequest {
        var request = request
        request.headers.append(("Authorization", "Bearer \(issued.token.reveal())"))
        request.headers += issued.fields.map { ($0.name, $0.value) }
        return request
    }

    func freeingAuthorization(_ request: WebRequest) -> WebRequest? {
        var request = request
        for index in request.headers.indices where request.headers[index].name == "Authorization" {
            request.headers[index].name = "X-Esri-Authorization"
        }
        return request
    }

    var judgesBodies: Bool { true }

    func verdict(on answer: WebResponse) -> TokenVerdict {
        if let fault = fault(in: answer) { return fault.needsToken ? .refused : .taken }
        return BearerDialect().verdict(on: answer)
    }

    func failure(_ answer: WebResponse, from host: String) -> AuthFailure? {
        guard let fault = fault(in: answer) else { return BearerDialect().failure(answer, from: host) }
        return fault.failure(host, when: "phrase.answering_request")
    }

    func reason(_ answer: WebResponse) -> UserMessage? { (fault(in: answer)?.line).map(UserMessage.verbatim) }

    private func fault(in answer: WebResponse) -> ArcGISAnswer.Fault? {
        // Errors are short, so a large answer is not parsed.
        guard answer.status == 200 || (400..<500).contains(answer.status), answer.body.count <= 64 << 10,
            answer.body.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"),
            let document = try? JSONValue(strict: answer.body)
        else { return nil }
        return ArcGISAnswer.Fault(in: document)
    }
}

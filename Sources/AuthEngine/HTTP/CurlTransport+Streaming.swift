package import AuthModel
package import OAuth

extension CurlTransport: StreamingTransport {
    package func open(
        _ request: WebRequest, policy: TransportPolicy, upload: RequestBody?, isRaw: Bool
    ) async throws(AuthFailure) -> StreamedResponse {
        try await stream(request, policy) { plan in (plan.upload, plan.isRaw) = (upload, isRaw) }
    }

    /// Starts a transfer whose response is streamed, and waits for the response's header.
    func stream(
        _ request: WebRequest, _ policy: TransportPolicy, _ change: (inout CurlTransfer.Plan) -> Void
    ) async throws(AuthFailure) -> StreamedResponse {
        try RequestCheck.check(request, policy)
        var plan = try plan(request, policy)
        change(&plan)
        let loop = try startedLoop()
        let ticket = loop.ticket()
        let body = ResponseBody(resume: { loop.resume(ticket) }, cancel: { loop.cancel(ticket) })
        let stream = ResponseStream(body)
        plan.stream = stream
        let input = plan.upload ?? plan.tunnel?.input
        input?.begin { loop.resume(ticket) }
        let result = await withTaskCancellationHandler {
            loop.start(ticket, plan) { result in
                input?.end()
                stream.end(result.map { _ in })
            }
            // A cancellation before the start had no transfer to cancel.
            if Task.isCancelled { loop.cancel(ticket) }
            return await stream.response()
        } onCancel: {
            loop.cancel(ticket)
        }
        return try result.get()
    }
}

/// A kubeconfig with one cluster on 127.0.0.1 whose user is a session of the provider `sandbox`.
struct Kubeconfig {
    /// The port of the cluster's server.
    let server: Int
    /// The file of the certificate authority that kubectl trusts.
    let authority: String
    /// The plugin.
    let program: String
    /// When kubectl gives its standard input to the plugin: `Never` or `IfAvailable`.
    let mode: String

    var text: String {
        """
        apiVersion: v1
        kind: Config
        clusters: [{name: c, cluster: {server: "https://127.0.0.1:\(server)", certificate-authority: "\(authority)"}}]
        contexts: [{name: c, context: {cluster: c, user: u}}]
        current-context: c
        users:
        - name: u
          user:
            exec:
              apiVersion: client.authentication.k8s.io/v1
              command: "\(program)"
              args: [helper, kubectl, sandbox]
              interactiveMode: \(mode)
              provideClusterInfo: true

        """
    }
}

import type { PatroniPrograms } from "./find-programs.ts";

/** A member of the cluster: where its servers listen on loopback. Each member has PostgreSQL, Patroni and etcd. */
export interface Member {
  readonly name: string;
  readonly folder: string;
  readonly postgresPort: number;
  readonly restPort: number;
  readonly etcdPort: number;
  /** Where the other members' etcd finds its own. */
  readonly etcdPeerPort: number;
}

/** The settings of all members. docs/scaling.md explains them. */
const shared = {
  ttl: 20,
  loop_wait: 2,
  retry_timeout: 5,
  synchronous_mode: true,
  synchronous_mode_strict: true,
  maximum_lag_on_failover: 1_048_576,
  postgresql: { use_pg_rewind: true, parameters: { max_connections: 100 } },
};

/** Returns the arguments of a member's etcd. */
export function etcdArguments({ name, folder, etcdPort, etcdPeerPort }: Member, members: readonly Member[]): string[] {
  const [clients, peers] = [urlOf(etcdPort), urlOf(etcdPeerPort)];
  return [
    ...["--name", name, "--data-dir", `${folder}/etcd`, "--log-level", "warn"],
    ...["--listen-client-urls", clients, "--advertise-client-urls", clients],
    ...["--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers],
    ...["--initial-cluster", members.map((one) => `${one.name}=${urlOf(one.etcdPeerPort)}`).join(",")],
  ];
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** Returns the configuration of a member's Patroni. JSON is YAML, which Patroni reads. */
export function configurationOf(member: Member, members: readonly Member[], programs: PatroniPrograms): string {
  const { name, folder, postgresPort, restPort } = member;
  const [postgres, rest] = [`127.0.0.1:${postgresPort}`, `127.0.0.1:${restPort}`];
  return JSON.stringify({
    scope: "platform",
    name,
    restapi: { listen: rest, connect_address: rest },
    etcd3: { hosts: members.map(({ etcdPort }) => `127.0.0.1:${etcdPort}`) },
    bootstrap: {
      dcs: shared,
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, { auth: "trust" }, "data-checksums"],
    },
    postgresql: {
      listen: postgres,
      connect_address: postgres,
      data_dir: `${folder}/data`,
      bin_dir: programs.postgres,
      pgpass: `${folder}/pgpass`,
      authentication: { superuser: { username: "platform" }, replication: { username: "replicator" } },
      parameters: { unix_socket_directories: folder },
      pg_hba: ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
    },
  });
}

/** Returns the configuration of HAProxy: it sends connections to the member that Patroni's REST API calls the primary. */
export function balancerOf(port: number, members: readonly Member[]): string {
  const servers = members.map(
    ({ name, postgresPort, restPort }) => `  server ${name} 127.0.0.1:${postgresPort} check port ${restPort}`,
  );
  return `global
  maxconn 1000
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 5s
frontend postgres
  bind 127.0.0.1:${port}
  default_backend primary
backend primary
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 3 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}
`;
}

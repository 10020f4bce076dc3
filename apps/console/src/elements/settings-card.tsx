import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.js";

interface SettingsCardProps {
  /** The id of its heading. */
  readonly id: string;
  readonly icon: IconName;
  readonly title: string;
  readonly children: ReactNode;
}

export function SettingsCard({ id, icon, title, children }: SettingsCardProps) {
  return (
    <section className="card settings-card" aria-labelledby={id}>
      <Icon name={icon} />
      <div>
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </section>
  );
}

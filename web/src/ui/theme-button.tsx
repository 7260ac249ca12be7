import { Icon } from "./icons";
import { switchTheme, useTheme } from "./theme";

/** Switches between light and dark. */
export function ThemeButton() {
  const theme = useTheme();
  const words = theme === "dark" ? "Light theme" : "Dark theme";
  return (
    <button
      type="button"
      className="btn icon"
      aria-label={words}
      title={words}
      onClick={switchTheme}
    >
      <Icon name={theme === "dark" ? "sun" : "moon"} />
    </button>
  );
}

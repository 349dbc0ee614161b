// A script of its own: the index of the package has the store too, which pages need at once.
export { Notifications } from "@mantine/notifications";

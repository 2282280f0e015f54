# Written by dyno design generate from everything.yaml: change that file instead.

terraform {
  required_providers {
    aws = { source = "hashicorp/aws", version = ">= 6.29.0" }
  }
}

variable "prefix" {
  type        = string
  description = "What the names of tables begin with, such as my-app"
}

resource "aws_dynamodb_table" "app_table_1" {
  name                        = "${var.prefix}-App.Table-1"
  billing_mode                = "PROVISIONED"
  hash_key                    = "PK"
  range_key                   = "seq"
  read_capacity               = 5
  write_capacity              = 5
  table_class                 = "STANDARD_INFREQUENT_ACCESS"
  stream_enabled              = true
  stream_view_type            = "NEW_AND_OLD_IMAGES"
  deletion_protection_enabled = true

  attribute {
    name = "PK"
    type = "S"
  }

  attribute {
    name = "seq"
    type = "N"
  }

  attribute {
    name = "date"
    type = "S"
  }

  attribute {
    name = "type"
    type = "S"
  }

  attribute {
    name = "n"
    type = "N"
  }

  attribute {
    name = "tenant"
    type = "S"
  }

  attribute {
    name = "region"
    type = "S"
  }

  attribute {
    name = "level"
    type = "N"
  }

  attribute {
    name = "note"
    type = "S"
  }

  local_secondary_index {
    name            = "byDate"
    range_key       = "date"
    projection_type = "KEYS_ONLY"
  }

  global_secondary_index {
    name               = "GSI.1"
    hash_key           = "type"
    range_key          = "n"
    projection_type    = "INCLUDE"
    non_key_attributes = ["a", "b"]
    read_capacity      = 5
    write_capacity     = 5
  }

  global_secondary_index {
    name            = "byTenant"
    projection_type = "KEYS_ONLY"
    read_capacity   = 1
    write_capacity  = 1

    key_schema {
      attribute_name = "tenant"
      key_type       = "HASH"
    }

    key_schema {
      attribute_name = "region"
      key_type       = "HASH"
    }

    key_schema {
      attribute_name = "level"
      key_type       = "RANGE"
    }

    key_schema {
      attribute_name = "note"
      key_type       = "RANGE"
    }
  }

  warm_throughput {
    read_units_per_second  = 100
    write_units_per_second = 50
  }

  ttl {
    attribute_name = "expiresAt"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = true
  }

  lifecycle {
    ignore_changes = [read_capacity, write_capacity, global_secondary_index]
  }
}

resource "aws_appautoscaling_target" "app_table_1_read" {
  service_namespace  = "dynamodb"
  resource_id        = "table/${aws_dynamodb_table.app_table_1.name}"
  scalable_dimension = "dynamodb:table:ReadCapacityUnits"
  min_capacity       = 5
  max_capacity       = 100
}

resource "aws_appautoscaling_policy" "app_table_1_read" {
  name               = "${var.prefix}-app-table-1-read"
  policy_type        = "TargetTrackingScaling"
  service_namespace  = aws_appautoscaling_target.app_table_1_read.service_namespace
  resource_id        = aws_appautoscaling_target.app_table_1_read.resource_id
  scalable_dimension = aws_appautoscaling_target.app_table_1_read.scalable_dimension

  target_tracking_scaling_policy_configuration {
    target_value = 70

    predefined_metric_specification {
      predefined_metric_type = "DynamoDBReadCapacityUtilization"
    }
  }
}

resource "aws_appautoscaling_target" "app_table_1_write" {
  service_namespace  = "dynamodb"
  resource_id        = "table/${aws_dynamodb_table.app_table_1.name}"
  scalable_dimension = "dynamodb:table:WriteCapacityUnits"
  min_capacity       = 5
  max_capacity       = 100
}

resource "aws_appautoscaling_policy" "app_table_1_write" {
  name               = "${var.prefix}-app-table-1-write"
  policy_type        = "TargetTrackingScaling"
  service_namespace  = aws_appautoscaling_target.app_table_1_write.service_namespace
  resource_id        = aws_appautoscaling_target.app_table_1_write.resource_id
  scalable_dimension = aws_appautoscaling_target.app_table_1_write.scalable_dimension

  target_tracking_scaling_policy_configuration {
    target_value = 70

    predefined_metric_specification {
      predefined_metric_type = "DynamoDBWriteCapacityUtilization"
    }
  }
}

resource "aws_appautoscaling_target" "app_table_1_gsi_1_read" {
  service_namespace  = "dynamodb"
  resource_id        = "table/${aws_dynamodb_table.app_table_1.name}/index/GSI.1"
  scalable_dimension = "dynamodb:index:ReadCapacityUnits"
  min_capacity       = 5
  max_capacity       = 100
}

resource "aws_appautoscaling_policy" "app_table_1_gsi_1_read" {
  name               = "${var.prefix}-app-table-1-gsi-1-read"
  policy_type        = "TargetTrackingScaling"
  service_namespace  = aws_appautoscaling_target.app_table_1_gsi_1_read.service_namespace
  resource_id        = aws_appautoscaling_target.app_table_1_gsi_1_read.resource_id
  scalable_dimension = aws_appautoscaling_target.app_table_1_gsi_1_read.scalable_dimension

  target_tracking_scaling_policy_configuration {
    target_value = 70

    predefined_metric_specification {
      predefined_metric_type = "DynamoDBReadCapacityUtilization"
    }
  }
}

resource "aws_appautoscaling_target" "app_table_1_gsi_1_write" {
  service_namespace  = "dynamodb"
  resource_id        = "table/${aws_dynamodb_table.app_table_1.name}/index/GSI.1"
  scalable_dimension = "dynamodb:index:WriteCapacityUnits"
  min_capacity       = 5
  max_capacity       = 100
}

resource "aws_appautoscaling_policy" "app_table_1_gsi_1_write" {
  name               = "${var.prefix}-app-table-1-gsi-1-write"
  policy_type        = "TargetTrackingScaling"
  service_namespace  = aws_appautoscaling_target.app_table_1_gsi_1_write.service_namespace
  resource_id        = aws_appautoscaling_target.app_table_1_gsi_1_write.resource_id
  scalable_dimension = aws_appautoscaling_target.app_table_1_gsi_1_write.scalable_dimension

  target_tracking_scaling_policy_configuration {
    target_value = 70

    predefined_metric_specification {
      predefined_metric_type = "DynamoDBWriteCapacityUtilization"
    }
  }
}

output "app_table_1_name" {
  value = aws_dynamodb_table.app_table_1.name
}

output "app_table_1_arn" {
  value = aws_dynamodb_table.app_table_1.arn
}

output "app_table_1_stream_arn" {
  value = aws_dynamodb_table.app_table_1.stream_arn
}
